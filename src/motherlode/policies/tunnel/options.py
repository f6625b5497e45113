"""How collections are made, and how far a crawl tunnels for them (SPEC T1, T3, T4, T6, T7)."""

from typing import Annotated

from msgspec import Meta, Struct

from motherlode.learning.options import CentroidWeighting

PAPERS_THRESHOLD = 0.5
PAPERS_CUTOFF = 20.0


class TunnelOptions(Struct, frozen=True, forbid_unknown_fields=True):
    """How collections are made. The defaults are the paper's tunnelling crawl, 0.5/20 adaptive."""

    threshold: Annotated[
        float,
        Meta(ge=0, le=1, description="Correlation from which a page is a nugget of a subject."),
    ] = PAPERS_THRESHOLD
    cutoff: Annotated[
        float,
        Meta(
            ge=0,
            le=1000,
            description="Distance from the last nugget up to which links are followed; "
            "0: only the links of nuggets and seeds.",
        ),
    ] = PAPERS_CUTOFF
    adaptive: Annotated[
        bool,
        Meta(
            description="Whether distance grows faster behind pages that are far from every "
            "subject; else each page adds 1."
        ),
    ] = True
    learn_cutoff: Annotated[
        bool,
        Meta(description="Whether policy tunnel learns the cutoff from what tunnels lead to."),
    ] = True
    weighting: Annotated[
        CentroidWeighting,
        Meta(description="Term weights: log, or ratio as printed in the paper."),
    ] = CentroidWeighting.LOG
    min_hits: Annotated[
        int,
        Meta(ge=1, le=100, description="Hits that a subject needs; with fewer it is dropped."),
    ] = 4
    max_hits: Annotated[
        int, Meta(ge=1, le=100, description="Hits that a centroid is made of at most.")
    ] = 7
    sources: Annotated[
        tuple[str, ...],
        Meta(description="Search sources that are asked for the hits of new subjects."),
    ] = ()
    min_merit: Annotated[
        float,
        Meta(ge=0, le=1, description="Correlation below which no page joins a collection."),
    ] = 0.25
    max_members: Annotated[
        int, Meta(ge=1, le=100_000, description="Pages of a collection at most.")
    ] = 50
    skip_tokens: Annotated[
        tuple[str, ...],
        Meta(description="Words in a URL's path or host that keep it from being followed."),
    ] = ()
    sinking: Annotated[
        bool,
        Meta(description="Whether URLs of hosts that gave many duds come after others."),
    ] = True
