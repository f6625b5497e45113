"""What fields of search forms are called: in English, in WordNet, and by habit on the Web.

`OTHER` stands for what no library object has; it keeps a month from being taken for a year.
"""

from motherlode.sources.wrappers.attributes import Attribute

OTHER = "other"

# The attributes' own names: what is matched where there is neither WordNet nor a web table.
OWN_WORDS: dict[str, str] = {
    Attribute.ANY: "any",
    Attribute.TITLE: "title",
    Attribute.AUTHOR: "author",
    Attribute.FIRST_NAME: "first name",
    Attribute.LAST_NAME: "last name",
    Attribute.YEAR: "year",
    Attribute.KEYWORDS: "keyword",
    Attribute.ABSTRACT: "abstract",
    Attribute.VENUE: "venue",
    Attribute.PUBLISHER: "publisher",
    Attribute.DOI: "doi",
    Attribute.ISBN: "isbn",
    Attribute.ISSN: "issn",
    Attribute.IDENTIFIER: "identifier",
    Attribute.LANGUAGE: "language",
    OTHER: "month, day, email, password",
}

# The meanings of these attributes, as offsets of WordNet 3.0.
MEANINGS: dict[str, tuple[int, ...]] = {
    Attribute.ANY: (13553560, 945401, 7193596),  # lookup; search; query
    Attribute.TITLE: (6343520,),  # the name of a work
    Attribute.AUTHOR: (10794014, 9614315),  # writer; creator
    Attribute.FIRST_NAME: (6337307,),
    Attribute.LAST_NAME: (6336904,),
    Attribute.YEAR: (15203791, 15159583),  # of the calendar; date
    Attribute.KEYWORDS: (6293106, 6599788, 5996646, 5814291),  # key word; theme; discipline; topic
    Attribute.ABSTRACT: (6468951,),  # synopsis
    Attribute.VENUE: (6593296, 8308497, 6508112),  # periodical; conference; proceedings
    Attribute.PUBLISHER: (8062623, 10491309),  # firm; person
    Attribute.IDENTIFIER: (7270601, 6425065),  # symbol; identification number
    Attribute.LANGUAGE: (6282651,),
    OTHER: (
        15209413,  # month
        15155220,  # day
        6413666,  # volume
        6590446,  # edition
        6256697,  # page
        6387980,  # text
        6333653,  # name
        13303315,  # price
        8524735,  # city
        8544813,  # country
        7159467,  # rank
    ),
}

# Words of labels and names, in some languages of Europe; the longest phrase wins.
WEB_WORDS: dict[str, str] = {
    Attribute.ANY: (
        "search, query, find, search terms, search term, search words, search word, search for, "
        "search text, search string, search phrase, search box, free text, full text, fulltext, "
        "all fields, any field, anywhere, everything, all words, all the words, all of the words, "
        "any words, exact phrase, words, word, phrase, look for, lookfor, looking for, what, "
        "suche, suchen, suchbegriff, suchbegriffe, suchwort, volltext, freitext, alle felder, "
        "recherche, rechercher, chercher, tous les champs, mots, mot, texte integral, "
        "buscar, busqueda, busca, pesquisa, pesquisar, procurar, texto completo, todos los campos, "
        "todos os campos, palabras, palavras, cerca, ricerca, parole, tutti i campi, "
        "zoeken, zoek, zoekterm, zoektermen, szukaj, wyszukaj, hledat, hledani, vyhledavani, "
        "hladat, sok, sog, sogning, haku, hae, ara, arama, keres, kereses, "
        "поиск, найти, искать, запрос, слова, текст запроса"
    ),
    Attribute.TITLE: (
        "title, titles, book title, article title, paper title, document title, work title, "
        "thesis title, title words, title word, title keywords, words in title, title contains, "
        "in the title, title phrase, main title, subtitle, "
        "titel, titelworter, titelstichwort, buchtitel, titre, titres, titulo, titulos, titolo, "
        "tytul, nazev, nazov, cim, baslik, otsikko, tittel, название, названию, заглавие, заголовок"
    ),
    Attribute.AUTHOR: (
        "author, authors, author name, author names, creator, creators, contributor, "
        "contributors, writer, written by, author editor, editor, composer, researcher, "
        "autor, autoren, autorin, verfasser, verfasserin, urheber, auteur, auteurs, autores, "
        "autori, autore, auteursnaam, szerzo, yazar, tekija, forfatter, forfattare, автор, "
        "авторы, автору"
    ),
    Attribute.FIRST_NAME: (
        "first name, given name, forename, firstname, fname, givenname, vorname, prenom, "
        "voornaam, imie, jmeno, имя"
    ),
    Attribute.LAST_NAME: (
        "last name, surname, family name, lastname, lname, familyname, nachname, familienname, "
        "nom de famille, apellido, apellidos, sobrenome, cognome, achternaam, nazwisko, prijmeni, "
        "фамилия"
    ),
    Attribute.YEAR: (
        "year, years, date, dates, publication year, publication date, pub year, pub date, "
        "date published, year published, publishing year, year of publication, date range, "
        "date of publication, published, publish date, published date, publishdate, issued, "
        "jahr, erscheinungsjahr, publikationsjahr, jahrgang, datum, annee, date de publication, "
        "ano, fecha, anno, jaar, rok, rok vydani, yil, vuosi, год, год издания"
    ),
    Attribute.KEYWORDS: (
        "keyword, keywords, key word, key words, subject, subjects, subject heading, "
        "subject headings, subject terms, subject area, topic, topics, tag, tags, descriptor, "
        "descriptors, index terms, index term, author keywords, indexterms, mesh, theme, "
        "discipline, disciplines, research area, "
        "schlagwort, schlagworter, schlagworte, stichwort, stichworter, stichworte, thema, "
        "themen, sujet, sujets, mots cles, mot cle, matiere, matieres, palabras clave, tema, "
        "temas, materia, materias, palavras chave, palavra chave, assunto, assuntos, "
        "parole chiave, soggetto, soggetti, trefwoord, trefwoorden, onderwerp, slowa kluczowe, "
        "klicova slova, ключевые слова, тема"
    ),
    Attribute.ABSTRACT: (
        "abstract, abstracts, summary, synopsis, zusammenfassung, kurzfassung, resume, resumen, "
        "resumo, riassunto, samenvatting, abstrakt, аннотация"
    ),
    Attribute.VENUE: (
        "venue, journal, journals, journal title, journal name, publication, publication title, "
        "publication name, source title, source, conference, conference name, proceedings, "
        "proceedings title, periodical, magazine, magazine title, series, series title, "
        "book series, container title, in journal, published in, conference title, "
        "zeitschrift, zeitschriftentitel, zeitschriftenname, konferenz, reihe, serie, "
        "revue, nom de revue, titre de la revue, titre de revue, revista, titulo de la revista, "
        "rivista, tijdschrift, czasopismo, журнал"
    ),
    Attribute.PUBLISHER: (
        "publisher, publishers, publisher name, publishing house, published by, press, imprint, "
        "verlag, verlagsname, editeur, editorial, editora, editore, uitgever, wydawnictwo, "
        "nakladatel, издательство"
    ),
    Attribute.DOI: "doi, digital object identifier",
    Attribute.ISBN: "isbn, isbn13, isbn10",
    Attribute.ISSN: "issn, eissn",
    Attribute.IDENTIFIER: (
        "identifier, identifiers, standard number, isbn issn, document id, document identifier, "
        "isxn"
    ),
    Attribute.LANGUAGE: (
        "language, languages, sprache, langue, idioma, lingua, taal, jezyk, jazyk, kieli, язык"
    ),
    OTHER: (
        "month, months, day, days, email, e mail, mail, password, username, user, login, zip, "
        "zipcode, postcode, postal code, phone, city, town, country, state, location, address, "
        "price, sort, sort by, order by, orderby, sortby, sort order, order, results per page, "
        "per page, hits, page, pages, volume, issue, edition, format, category, type, "
        "document type, material, library, branch, collection, database, brand, make, model, "
        "job title, company, check in, checkin, checkout, check out, depart, departure, arrival, "
        "birth, death, date of birth, birth date, birthday, shelf mark, "
        "shelfmark, call number, callnumber, place of publication, "
        "affiliation, institution, funding, monat, ort, land, preis, mois, jour, ville, pays, "
        "mes, dia, ciudad, precio"
    ),
}

# Short names of fields, which are words of another meaning elsewhere: never read in labels.
ABBREVIATIONS: dict[str, str] = {
    Attribute.ANY: (
        "q, s, qs, qry, k, kwd, srch, st, searchterm, searchterms, searchtext, "
        "searchstring, searchword, searchquery, searchfor, searcharg, searchbox, searchinput, "
        "searchphrase, searchkey, ft, as q, request, terms, term, expression, criteria, "
        "allfields, qtext, querytext, wd, ntt, qq"
    ),
    Attribute.TITLE: "ti, tit, ttl, tl, booktitle, dctitle, titlesearch, titelwort",
    Attribute.AUTHOR: "au, aut, auth, auts, wau, as sauthors, sauthors, aun",
    Attribute.FIRST_NAME: "fn, given",
    Attribute.LAST_NAME: "ln, family, auln, aulast",
    Attribute.YEAR: "yr, py, pubyear, pubdate, dp, yop, pdat, pyear",
    Attribute.YEAR_FROM: "ylo, as ylo, yearfrom, yearstart, startyear, fromyear, minyear, datefrom",
    Attribute.YEAR_TO: "yhi, as yhi, yearto, yearend, endyear, toyear, maxyear, dateto, untilyear",
    Attribute.KEYWORDS: "kw, kws, su, sub, subj, keyw, sh, wsu, swd",
    Attribute.ABSTRACT: "ab, abs, abstr",
    Attribute.VENUE: "so, jn, jt, ta, jrnl, as publication, pub, src, journaltitle, se",
    Attribute.PUBLISHER: "pb, publ, vl",
    Attribute.ISBN: "bn, isn, sb",
    Attribute.ISSN: "sn, is, ssn",
    Attribute.LANGUAGE: "la, lang, lng",
}


def _words(text: str) -> list[str]:
    return text.split()


# Which end of a span of years a field is, besides the word for year.
FROM_WORDS = frozenset(
    _words(
        "from since after start begin beginning min minimum lower low lo von ab depuis desde da "
        "dal od gte earliest begining"
    )
)
TO_WORDS = frozenset(
    _words(
        "to until till before end max maximum upper high hi bis jusque hasta ate al do lte latest "
        "through"
    )
)
# Nouns after these say more about the noun before them: "year of publication".
PREPOSITIONS = frozenset(_words("of by in for with de du des der von per im della do da para"))
SORT_WORDS = frozenset(
    _words(
        "sort sortby orderby order ordering rank ranking relevance ascending descending asc desc "
        "newest oldest sortierung sortieren trier сортировка сортировки"
    )
)
