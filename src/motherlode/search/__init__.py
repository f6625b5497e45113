"""Full-text search: queries, the index, ranking, snippets. It knows records, not where pages come from."""
