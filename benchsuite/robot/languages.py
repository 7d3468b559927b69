"""How English, German and French express requirements: one table each, read by `constraints`.

N stands for a number, D for a day. Everything is in lower case.
"""

from functools import cache
from re import Pattern
from re import compile as compiled

NUMBER = r"(-?\d+(?:[.,'’\u00a0\u202f ]\d{3})*(?:[.,]\d+)?)(?![\d/])"
MONTHS = (
    *(r"jan\w*", r"f[eé][bv]\w*", r"m(?:är|ar|rz|aer)\w*", r"a[pv]r\w*", r"ma[iy]", r"jui?n[ie]?"),
    *(r"jui?l\w*", r"a[uo][gûu]\w*", r"sep\w*", r"o[ck]t\w*", r"nov\w*", r"d[eé][cz]\w*"),
)
_MONTH = "|".join(MONTHS)
DAY = (
    rf"(\d{{4}}-\d\d?-\d\d?|\d\d?[./]\d\d?[./]\d{{4}}|\d\d?(?:\.|er|st|nd|rd|"
    rf"th)? (?:{_MONTH})\.? \d{{4}}|"
    rf"(?:{_MONTH})\.? \d\d?(?:st|nd|rd|th)?,? \d{{4}})"
)

ENGLISH = {
    "between": r"\b(?:between|from|range(?: of)?:?|tick|choose|select|pick|check)\s+N\s*(?:and|"
    r"to|[-–])\s*N"
    r"|\bN\s*(?:to|[-–])\s*N (?:char|digit|letter|word)",
    "exactly": r"\b(?:exactly|of length|(?:must|should) (?:be|have|contain)) N\b(?= (?:char|"
    r"digit|letter|num|word|item|option|tag|answer|box|choice))"
    r"|\bexactly N|\bN[- ]digit|\benter (?:a |the )?N digits|wrong length \(should be N char",
    "least": r"\b(?:at least|minimum(?: length| value| number)?(?: of| is)?:?|no(?:t)? (?:less|"
    r"fewer|lower|smaller|shorter) than|"
    r"min(?:\.|imum)?:?|greater than or equal(?: to)?|or equal to or greater than|"
    r"longer than or equal to|>=|≥)\s+N|"
    r"\bN(?: \w+)? or (?:more|over|older|above|higher|longer)",
    "above": r"(?<!no )(?<!not )\b(?:more|greater|longer|larger|higher|bigger|older) than N|"
    r"\b(?:above|over|exceeds?) N",
    "most": r"\b(?:at most|maximum(?: length| value| number)?(?: of| is)?:?|no(?:t)? (?:more|"
    r"greater|longer|larger|higher|bigger) than|up to|"
    r"max(?:\.|imum)?:?|less than or equal(?: to)?|must not exceed|cannot exceed|<=|≤)\s+N|"
    r"\bN(?: \w+)? or (?:less|fewer|under|below|younger|shorter|lower)",
    "below": r"(?<!no )(?<!not )\b(?:less|fewer|smaller|shorter|lower|younger) than N|"
    r"\b(?:below|under) N",
    "step": r"\b(?:multiples? of(?: step size)?|divisible by|(?:in )?steps of) N",
    "decimals": r"\b(?:no more than|at most|up to|max(?:imum)?) N decimal",
    "digits": r"\b(?:no more than|at most) N digits? in total",
    "after": r"\b(?:after|from|since|not before|on or after|no earlier than|later than|between) D",
    "before": r"\b(?:before|until|not after|on or before|no later than|earlier than|by|and) D",
    "past": r"\b(?:in the past|not be in the future|can'?t be in the future|before today|"
    r"earlier than today)",
    "future": r"\b(?:in the future|not be in the past|can'?t be in the past|after today|"
    r"later than today)",
    "later": r"\b(?:after|later than|on or after|greater than|follow)\b",
    "fresh": r"\balready|\btaken\b|\bin use\b|\bmust be unique|\bnot available|\bduplicate\b",
    "same": r"match(?!es?\b)|\bmust match|\bnot the same|be (?:the same|equal|identical)\b|"
    r"\bdiffer\b",
    "distinct": r"\b(?:distinct|(?:be|all|are) different|more than once|(?:choose|pick|select|"
    r"name)\w* (?:\w+ )?different|duplicates?|not repeat)",
    "agree": r"\brequired|must (?:be (?:checked|accepted|ticked)|agree|accept)|"
    r"can.?not be (?:blank|empty)|can't be blank|should not be blank|"
    r"fill (?:out|in)|must not be empty|needed|please (?:answer|enter|choose|select)|tell us",
    "length": r"\bcharacters?\b|\bchars?\b|\bletters?\b|\blength\b|\blong\b|\bshort\b|\bdigits?\b",
    "words": r"\bwords\b",
    "years": r"\byears? (?:old|of age)|\baged?\b",
    "spaceless": r"\b(?:no|without|not contain) (?:any )?(?:spaces|blanks|whitespace)|\bone word\b",
}
GERMAN = {
    "between": r"\b(?:zwischen|von)\s+N\s*(?:und|bis|[-–])\s*N|\bN\s*(?:bis|[-–])\s*N (?:zeichen|"
    r"ziffern|stellen|wörter|antworten)",
    "exactly": r"\bgenau N|\bN[- ]?stellig|\b(?:hat|haben|aus|sind) N (?:ziffern|zeichen|"
    r"stellen)|\(N ziffern\)",
    "least": r"\b(?:mindestens|wenigstens|minimal|minimum:?|min\.|nicht (?:weniger|kleiner|"
    r"kürzer) als|größer(?: als)? oder gleich|ab|≥)\s+N|"
    r"\bN(?: \w+)? oder (?:mehr|älter|größer)|\bN nicht unterschreiten",
    "above": r"(?<!nicht )\b(?:mehr|größer|länger|höher|älter) als N|\büber N",
    "most": r"\b(?:höchstens|maximal|maximum:?|max\.|nicht (?:mehr|größer|länger|höher) als|"
    r"bis zu|kleiner(?: als)? oder gleich|≤)\s+N|"
    r"\bN(?: \w+)? (?:oder weniger|nicht überschreiten)",
    "below": r"(?<!nicht )\b(?:weniger|kleiner|kürzer|jünger) als N|\bunter N",
    "step": r"\b(?:vielfaches von|vielfaches der schrittweite|teilbar durch|schritten von) N",
    "decimals": r"\b(?:höchstens|maximal|nicht mehr als) N (?:nachkomma|dezimal)",
    "digits": r"\b(?:höchstens|maximal|nicht mehr als) N (?:ziffern|stellen) insgesamt",
    "after": r"\b(?:nach dem|ab(?: dem)?|seit|"
    r"frühestens(?: am)?|nicht vor dem|später als|zwischen(?: dem)?) D",
    "before": r"\b(?:vor dem|bis(?: zum)?|spätestens(?: am)?|nicht nach dem|früher als|"
    r"und(?: dem)?) D",
    "past": r"in der vergangenheit (?!liegen darf)|in der vergangenheit liegen|"
    r"nicht in der zukunft|vor heute",
    "future": r"in der zukunft liegen|nicht in der vergangenheit|nach heute|in der zukunft sein",
    "later": r"\b(?:nach|später als|hinter|größer als)\b",
    "fresh": r"\bbereits\b|\bschon (?:vergeben|vorhanden|verwendet|registriert|benutzt)|"
    r"\bvergeben\b|\beindeutig",
    "same": r"stimm\w+ nicht (?:\w+ )*überein|übereinstimmen|\bidentisch|\bgleich sein|"
    r"nicht gleich",
    "distinct": r"\b(?:verschieden|unterschiedlich|mehrfach|doppelt)",
    "agree": r"\berforderlich|pflichtfeld|muss (?:\w+ )?(?:ausgefüllt|akzeptiert|angekreuzt|"
    r"beantwortet)|darf nicht leer|bitte (?:\w+ )?(?:ausfüllen|wählen|akzeptieren|"
    r"zustimmen)|nicht leer sein|zustimmen",
    "length": r"\bzeichen\b|\bbuchstaben\b|\blang\b|\blänge|\bkurz\b|\bziffern?\b|\bstellen\b|"
    r"stellig",
    "words": r"\b(?:wörter|worte)\b",
    "years": r"\bjahre? alt|volljährig",
    "spaceless": r"\b(?:keine|ohne) leerzeichen|\bein wort\b",
}
FRENCH = {
    "between": r"\b(?:entre|de)\s+N\s*(?:et|à|[-–])\s*N",
    "exactly": r"\bexactement N|\b(?:comporter|contenir|avoir) N (?:chiffres|caractères)|"
    r"\(N chiffres\)",
    "least": r"\b(?:au moins|au minimum|minimum(?: de)?:?|min\.?|(?:supérieure?s?|"
    r"plus grande?) ou égale?s? à|pas (?:moins|inférieure?) (?:de|à)|≥)\s+N|"
    r"\bN(?: \w+)? (?:ou plus|minimum|au moins)",
    "above": r"\b(?<!pas )(?:supérieure?s?|plus grande?s?|postérieure?) (?:à|que) N|"
    r"(?<!pas )\bplus de N",
    "most": r"\b(?:au plus|au maximum|maximum(?: de)?:?|max\.?|(?:inférieure?s?|"
    r"plus petite?) ou égale?s? à|pas plus (?:de|que)|(?:pas|ne doit pas) dépasser|"
    r"jusqu'à|≤)\s+N|"
    r"\bN(?: \w+)? (?:ou moins|maximum|au plus)",
    "below": r"(?<!pas )\b(?:inférieure?s?|plus petite?s?) (?:à|que) N|(?<!pas )\bmoins de N",
    "step": r"\b(?:multiple|pas|divisible) (?:de|par)(?: la taille de pas)? N",
    "decimals": r"\b(?:pas plus de|au plus|maximum) N (?:décimale|chiffres? après)",
    "digits": r"\b(?:pas plus de|au plus) N chiffres? au total",
    "after": r"\b(?:après le|à partir du|depuis le|pas avant le|postérieure? au|entre le) D",
    "before": r"\b(?:avant le|jusqu'au|au plus tard le|pas après le|antérieure? au|et le) D",
    "past": r"\b(?:dans le passé|pas (?:être )?dans le futur|antérieure à aujourd|"
    r"avant aujourd|passée)",
    "future": r"\b(?:être dans le futur|pas (?:être )?dans le passé|postérieure à aujourd|"
    r"après aujourd|à venir|future\b)",
    "later": r"\b(?:après|postérieure?|supérieure?)\b",
    "fresh": r"\bdéjà\b|\bunique\b|\bpas disponible",
    "same": r"ne correspond(?:ent)? pas|\bidentiques?\b|\bdiffèrent\b|être (?:égale|le même)|"
    r"\bmêmes?\b",
    "distinct": r"\b(?:distinct|différente?s\b|plusieurs fois|en double)",
    "agree": r"\bobligatoire|\brequise?\b|doit être (?:rempli|accepté|coché|renseigné)|"
    r"pas être vide|veuillez (?:répondre|accepter|remplir|choisir)|indiquez|choisissez",
    "length": r"\bcaractères?\b|\blettres?\b|\blongueur|\blongue?\b|\bcourte?\b|\bchiffres?\b",
    "words": r"\bmots\b(?! de passe)",
    "years": r"\bans\b",
    "spaceless": r"\bsans espaces?\b|pas (?:contenir )?d['’]espaces?|\bun seul mot\b",
}
LANGUAGES = (ENGLISH, GERMAN, FRENCH)

KINDS = (
    (r"\buuid\b|\bguid\b", "uuid"),
    (r"\bjson\b", "json"),
    (r"\biban\b", "iban"),
    (r"\bipv6\b", "ipv6"),
    (r"\bip(?:v4)?\b", "ip"),
    (
        r"\b(?:credit |debit )?card number|(?:kredit)?kartennummer|num[ée]ro de (?:la )?carte",
        "card",
    ),
    (r"\bvat\b|ust-?id|umsatzsteuer|num[ée]ro de tva", "vat"),
    (r"whole number|integer|ganze zahl|ganzzahl|nombre entier", "integer"),
    (
        r"valid (?:decimal )?number|be a number|a number|numeric value|"
        r"numbers? (?:between|from)|not a number|"
        r"(?:eine|gültige|keine|die) zahl|numerisch|un nombre|nombre valide|\ble nombre\b|"
        r"numérique",
        "number",
    ),
    (r"e-?mail|courriel|adresse électronique", "email"),
    (r"valid (?:url|link|web)|\burl\b|internetadresse|web-?adresse", "url"),
    (r"valid date/time|valid datetime|datum und uhrzeit|date et heure", "datetime-local"),
    (
        r"valid date|real date|be a date|gültiges datum|ungültiges datum|"
        r"date (?:[\w'’]+ )*valide|no date|kein datum",
        "date",
    ),
    (r"valid time|uhrzeit|\bheure valide", "time"),
    (
        r"letters, numbers, underscores or hyphens|valid .slug|aus buchstaben, ziffern, unter",
        "slug",
    ),
    (
        r"only letters|letters only|alphabetic|nur (?:aus )?buchstaben|que des lettres|"
        r"uniquement des lettres",
        "letters",
    ),
    (
        r"only (?:digits|numbers|numeric)|(?:digits|numbers) only|digits\b|"
        r"nur (?:aus )?(?:ziffern|zahlen)|"
        r"\bziffern\b|\bchiffres\b",
        "digits",
    ),
    (r"phone|mobile number|telefon|téléphone", "tel"),
    (r"valid image|not an image|kein bild|pas une image|image valide", "image"),
)
UPPER = r"upper ?case|capital|großbuchstaben|majuscules?"
LOWER = r"lower ?case|kleinbuchstaben|minuscules?"

EXTENSIONS = (
    r"(?:allowed (?:file )?(?:extensions?|types?|formats?)|erlaubt\w*|zulässig\w*|"
    r"autorisé\w*|only|nur|seuls?(?: les)?)"
    r"(?: dateiendungen| dateitypen| (?:sont|sind|are))*:?\s*(\.?(?:pdf|png|jpe?g|gif|"
    r"txt|csv|json|docx?|zip|xlsx?)\b[\w, ./*]*)"
)
EXAMPLE = (
    r"(?:\blike|such as|e\.g\.,?|for example,?|example:|in the (?:form|format)|"
    r"of the form|the format|"
    r"wie|z\. ?b\.|zum beispiel|beispiel:|im format|par exemple,?|p\. ?ex\.|exemple:?|"
    r"ex\.?:|comme|au format)\s+"
    r"[\"'“‘«„]?\s?((?:[^\s\"'”’»,;]+ (?=[A-Z0-9]{1,4}\b))*[^\s\"'”’»,;]+)"
)

PREFIX = (
    r"(?:(?:start|begin)s?(?:ning)? with|(?:beginn|anfang)\w* mit|commence\w* par|"
    r"débute\w* par|mit)"
    r" (?:the |dem |der |le |"
    r"la )?[\"'“‘«„]?\s?([^\s\"'”’».,;]*[^\w\s\"'”’».,;][^\s\"'”’».,;]*|\d+|"
    r"[A-Z]{1,4})"
    r"[\"'”’»]?(?=\s*(?:$|[.,;!]|and\b|und\b|et\b|begin|anf))"
)

WORDS = (
    (
        "zero",
        "one",
        "two",
        "three",
        "four",
        "five",
        "six",
        "seven",
        "eight",
        "nine",
        "ten",
        "eleven",
        "twelve",
    ),
    (
        "null",
        "eine?n?",
        "zwei",
        "drei",
        "vier",
        "fünf",
        "sechs",
        "sieben",
        "acht",
        "neun",
        "zehn",
        "elf",
        "zwölf",
    ),
    (
        "zéro",
        "une?",
        "deux",
        "trois",
        "quatre",
        "cinq",
        "six",
        "sept",
        "huit",
        "neuf",
        "dix",
        "onze",
        "douze",
    ),
)


@cache
def rules(name: str) -> tuple[Pattern[str], ...]:
    """The patterns of this name in all languages that have one."""
    return tuple(
        compiled(language[name].replace("D", DAY).replace("N", NUMBER)) for language in LANGUAGES
    )


@cache
def number_words() -> tuple[tuple[Pattern[str], str], ...]:
    return tuple(
        (compiled(rf"\b{word}\b"), str(number))
        for words in WORDS
        for number, word in enumerate(words)
    )
