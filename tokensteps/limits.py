"""Every limit of the app, with its reason: what a visitor may bring, and what the server may spend on it.

A page that meets a limit says which one, and what to do. The engine knows none of these; those that it
enforces are handed to it. Here is nothing but numbers, so that a test, a page and the documentation read the
same ones.

The times were measured on one of two cores at 2.6 GHz.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, NamedTuple

# --- Text ---------------------------------------------------------------------------------------------------

PASTE_LIMIT: Final = 200_000
"""Characters of a text that is pasted: a browser's text box stays quick with as many."""
PLAYGROUND_LIMIT: Final = 1_000_000
"""Characters of the playground's text: as many of prose take a second and 90 MB of the server's memory, of
accents and joined emoji 10 to 25 seconds and 500 MB."""
PIPELINE_LIMIT: Final = 2_000
"""Characters of each text on the page “Pipeline”: what a page can draw, stage by stage."""
RENEW_LIMIT: Final = 20_000
"""Characters of the text under an old and a new tokenizer: both rows are drawn."""
SENTENCE_LIMIT: Final = 300
"""Characters of the sentence on the first page: it is drawn in three ways with every key that is pressed."""
SCENE_LINES: Final = 40
"""Texts that are compared in the scene on languages, one a line: a row each for up to four tokenizers."""
SCENE_CODE: Final = 2_000
"""Characters of code in a scene: they are drawn once for each tokenizer."""
ENCODE_LIMIT: Final = 2_000
"""Characters in the box of the tab “Encode”: every word of it can be stepped through."""
WHY_LIMIT: Final = 120
"""Characters of the word whose tokens are explained: longer than any that WordPiece looks up."""
WHY_SPLIT_LIMIT: Final = 4 * WHY_LIMIT
"""Characters of another split of it, as it is typed: the word's own, with something between any two."""
WHY_WORD: Final = 250
"""Symbols of a word that is stepped through, bytes or characters: each step draws them all."""
WHY_LISTED: Final = 300
"""Words of a text to choose from: those at its beginning."""
CUT_LIMIT: Final = 100_000
"""Characters of a text that is cut in all ways: its beginning. Twenty thousand words take a second or two."""
PARALLEL_CHARACTERS: Final = 100_000
"""Characters of a table of parallel lines: some hundred lines in ten languages."""
FIND_LIMIT: Final = 100
"""Characters of what is looked for in a table or in the glossary: tokens and terms are shorter."""
PASSAGE_LIMIT: Final = 200
"""Characters of the answer that is looked for in the windows of a text: two sentences."""

# --- Links --------------------------------------------------------------------------------------------------

LINK_LIMIT: Final = 6_000
"""Characters of a compressed text in a link: what mail programs, chats and proxies let through."""
LINK_TEXT_LIMIT: Final = PASTE_LIMIT * 4
"""Bytes that a link's text may unpack to: a link can hold a bomb, and a character has four bytes at most."""
PLAIN_LIMIT: Final = 1_000
"""Characters of a text that an address holds as it is, percent signs and all: a longer one is compressed."""
PACK_LIMIT: Final = PASTE_LIMIT
"""Characters up to which it is tried whether a text fits a link: that takes 10 ms, with every pause in
typing."""
SPEC_LIMIT: Final = 16_000
"""Characters that name a tokenizer in a link: a text of one's own may be among them."""
SEALED_LIMIT: Final = 60_000
"""Characters of a challenge's link or code: of the longest ones that the app makes, with room."""
LEAST_SECRET: Final = 32
"""Characters of the server's secret, at least: 128 bits as hexadecimal digits. A shorter one could be guessed
from a single seal."""

# --- Uploads ------------------------------------------------------------------------------------------------

UPLOAD_LIMIT: Final = 10_000_000
"""Bytes of a corpus that is uploaded: reading it takes some ten seconds, and says how far it is."""
TOKENIZER_LIMIT: Final = 40_000_000
"""Bytes of all files of one tokenizer: Gemma's tokenizer.json, with 262,000 tokens, has 33 million."""
FILES_LIMIT: Final = 20
"""Files of one tokenizer: people upload whole folders, and the names of all of them fit a link."""
UPLOADS_EACH: Final = 2 * TOKENIZER_LIMIT + UPLOAD_LIMIT
"""Bytes of files that one session may hold: two tokenizers and a corpus. Streamlit keeps them in memory while
the page is open."""
UPLOADS_ROOM: Final = 400_000_000
"""Bytes of files that all sessions of a server may hold: those of a class, or ten of the largest. When they
are used up, whoever holds most loses a file to whoever holds less."""
FILES_EACH: Final = 200
"""Files that one session may hold: two folders full. Each takes half a kilobyte, even an empty one."""
LARGEST_UPLOAD: Final = TOKENIZER_LIMIT // 1_000_000
"""Megabytes that the server takes of anything: what `maxUploadSize` in .streamlit/config.toml says."""
UPLOAD_PATIENCE: Final = 20.0
"""Seconds between two pieces of an upload: what `client_body_timeout` in deploy/tokensteps.conf says."""

# --- Messages over the WebSocket ----------------------------------------------------------------------------

MESSAGE_LIMIT: Final = 12_000_000
"""Bytes of one message: a corpus that could be uploaded, with room. Pasted instead, it gets the answer that
it is too long."""
MESSAGE_FIELDS: Final = 10_000
"""Parts of one message: pages send up to a few hundred. Counting as many takes 10 ms; parsing six million
takes 2.4 seconds and 400 MB."""
BESIDES_LIMIT: Final = 500_000
"""Bytes of a message besides what widgets hold: the address, twice, with the longest code of a challenge, and
the names of what the browser has kept."""
WIDGETS_LIMIT: Final = 1_000
"""Widgets in a message: the fullest page has some sixty, and a chat of forty messages two hundred more."""
STATES_LIMIT: Final = 8_000_000
"""Bytes that the widgets of a page hold: the longest text of the playground, each character escaped, and two
pasted texts. A session keeps them, some four times over."""
JSON_BESIDES: Final = 100_000
"""Characters of a component's JSON outside of strings: components say a few numbers and names. As many
brackets take 30 ms to read; four million take 3.3 seconds, while nobody else is served."""
JSON_STRINGS: Final = 1_000
"""Strings in a component's JSON, where it is long: that of the editor has two."""
ASKED_FILES: Final = 1_000
"""Files for which a browser asks addresses at once: those of a folder. As many take 15 ms; half a million
took 5.5 seconds."""
NAME_BYTES: Final = 1_000
"""Bytes of a file's name or a widget's: systems take 255 of the one, and the app's own widgets have less than
200."""
SESSION_TOLD_BYTES: Final = 200_000
"""Bytes of the message that tells the browser its session: it has the pages and the theme, some ten
thousand."""


class Rate(NamedTuple):
    """How often something may happen: so many at once, and so many a second after that. What comes faster
    waits."""

    burst: float
    pace: float


CONNECTION_RATES: Final[Mapping[str, Rate]] = {
    # Bytes. A pasted text of 800 KB goes along with each of two clicks a second, and a page with all its
    # texts comes at once.
    "bytes": Rate(2 * MESSAGE_LIMIT, 2_000_000),
    # While something is trained, a page asks 2.5 times a second by itself; a learner clicks up to six times a
    # second, for some seconds. Each takes the server 20 to 60 ms.
    "rerun_script": Rate(20, 4),
    "stop_script": Rate(20, 2),
    # One in some minutes, where the page is in a frame whose host asks for them.
    "app_heartbeat": Rate(20, 1),
    # A box asks once for all files that are put into it; dropped one by one, they are asked for one by one.
    "file_urls_request": Rate(40, 4),
    # Files to download are made in threads of the server, the largest in half a second. A page offers eight.
    "backend_operation_request": Rate(12, 0.5),
}
"""What one page may send: several times what somebody does who clicks fast, with the reason of each beside
it."""
HALL: Final = 300
"""Students who may share one address: a lecture hall's."""
ADDRESS_RATES: Final[Mapping[str, Rate]] = {
    # They come in within ten seconds, to a server that greets thirty a second; deploy/tokensteps.conf says
    # the same of sessions.
    "openings": Rate(2 * HALL, 30),
    # All 300 may do at once half of what each may do at once. For long, it is as much as 30 of them may: that
    # is what a server has time for, and the visitors from other addresses should find some of it left.
    **{name: Rate(HALL * rate.burst / 2, HALL * rate.pace / 10) for name, rate in CONNECTION_RATES.items()},
}
"""What all pages at one address may send together: enough for a lecture hall, and too little to take all of a
server's time."""
BUSY_SHARE: Final = 0.6
"""Share of a processor that the server uses when it is busy: one thread of Python runs at a time, and clicks
begin to wait."""
BUSY_RATE: Final = Rate(4, 0.7)
"""Runs of a page that one connection has at once while the server is busy: a learner's few clicks, and one
each second and a half after that; who asks for more waits for those who ask for less."""
PART_COST: Final = 0.25
"""What a run of a part of a page, as a step is, counts of that: it takes a quarter of the time."""
BUSY_WAIT: Final = 5.0
"""Seconds that a message waits at most because the server is busy: even a visitor who has asked too much sees
the page go on."""
OPEN_FILES: Final = 16_384
"""Files and connections that the server may have open: each page takes four, and most systems give a program
1,024 unasked."""
SERVER_MEMORY: Final = 700_000_000
"""Bytes that a server with its processes takes after a class: `docs/deployment.md` has what was measured."""
CONNECTIONS_EACH: Final = 2 * HALL
"""Connections from one address: each student of a lecture hall has two pages open."""
CONNECTIONS_OPEN: Final = 8 * HALL
"""Connections from one address, of all kinds: a browser opens six for a page, and two that stay."""
HEAD_PATIENCE: Final = 10.0
"""Seconds for what comes before a request's body: the longest address has 64 KB, which a slow phone sends in
two."""
BODY_PACE: Final = 1_000
"""Bytes of a body that must come each second, after the first `UPLOAD_PATIENCE`: half of what the slowest
modem sent."""
READER_PATIENCE: Final = 30.0
"""Seconds within which a reader takes some of what waits for it: as long as a phone is in a tunnel and comes
back on the same connection."""
READER_TAKES: Final = 4_000
"""Bytes that a reader has to take in that time: fewer are no progress, as one byte now and then would hold an
answer for ever."""
RECONNECT_SECONDS: Final = 60.0
"""Time in which a page that has lost its connection finds its session again: a change of networks takes some
ten seconds. After it, the session ends with all that it holds; texts of up to four megabytes are still in the
store, and the address finds them."""

COLLECT_SECONDS: Final = 20.0
"""Time after the end of a session in which what it has left behind is collected, once for all that end
meanwhile: that holds everybody up for a tenth of a second."""

# --- What a run is made of ----------------------------------------------------------------------------------

SYMBOLS_LIMIT: Final = 10**18
"""Symbols of a corpus with each word as often as it occurs: tables hold numbers of 64 bits, up to nine times
as large."""
VOCABULARY_LIMIT: Final = 20_000
"""Tokens that a page trains to: a trace holds every step. As many of ten megabytes of program code take BPE 2
seconds and 4 MB, WordPiece 7 seconds and 2 MB; the costliest text within the limits takes BPE 20 MB."""
SEED_LIMIT: Final = 50_000
"""Pieces that pruning starts from: as many of a megabyte of program code take SentencePiece's method 17
seconds, the course's 80, and 4 and 20 MB."""
WORD_LIMIT: Final = 2_000
"""Symbols of a word that is trained on, a long paragraph's: each step writes whole words anew. With one of
100,000, BPE takes a minute for the first steps and WordPiece's trace 200 MB, and Unigram prunes two or three
pieces a second."""
CORPUS_LIMIT: Final = 2_500_000
"""Symbols of a corpus's different words, which are what training sees: ten megabytes of program code have
2,200,000, of prose less. A million random letters take BPE 9 seconds and 11 MB. Unigram takes minutes where
there are many, and can be stopped."""
COUNT_LIMIT: Final = 1_000_000
"""The least count of a pair that can be asked for: no pair of a text that can be uploaded is more
frequent."""
LONGEST_LIMIT: Final = 100
"""Characters of a token that can be asked for: Unigram's time for a text grows with it."""
LONGEST_WORD_LIMIT: Final = 1_000
"""Characters of the longest word that WordPiece may have to look up: the time grows with its square."""
PATTERN_LIMIT: Final = 1_000
"""Characters of a regular expression: the longest that is in use, GPT-4o's, has 280."""
SPECIAL_LIMIT: Final = 500
"""Characters of all special tokens: a template needs five of them."""
PATTERN_SECONDS: Final = 1.5
"""Time for a regular expression of a learner's own: a page of text is done in one second."""
PATTERN_PACE: Final = 1.0
"""Seconds more for each million bytes of the corpus: four times what the usual patterns take."""


def patience(size: int) -> float:
    """Seconds that a regular expression of a learner's own may take on a corpus of `size` bytes.

    >>> patience(0), patience(10_000_000)
    (1.5, 11.5)
    """
    return PATTERN_SECONDS + round(PATTERN_PACE * size / 1e6, 1)


COMMAND_SECONDS: Final = 60.0
"""Time for a regular expression on the command line: there nobody else waits, but Ctrl-C has to."""

# --- Tokenizers from elsewhere ------------------------------------------------------------------------------

TOKEN_LIMIT: Final = 300_000
"""Tokens of one tokenizer: as many take the library 0.8 seconds, with the GIL held, and 150 MB."""
ADDED_LIMIT: Final = 100_000
"""Added tokens: as many take the library half a second."""
ID_LIMIT: Final = 2 * TOKEN_LIMIT
"""An id has to be lower: some vocabularies have holes, but a list by id must stay small."""
EXPANSION_LIMIT: Final = 100
"""How many times longer a pipeline may make a text: without a limit a small file could use up the memory."""
TEMPLATE_LIMIT: Final = 1_000
"""Special tokens that may be put around a text: what people use has two."""
STAGES_LIMIT: Final = 1_000
"""JSON objects in the pipeline: what people use has 30 at most."""
ENCODING_SECONDS: Final = 10.0
"""Processor time for one text: a million characters take a second or two."""
WHY_SECONDS: Final = 30.0
"""Processor time for the steps of a word: for the first one the model's half a million merges are read, which
takes five."""
ENCODING_PACE: Final = 2e-6
"""Expected seconds for a character to be encoded: a million take two."""
LONG_TOKEN: Final = 100
"""Characters up to which a token's length doesn't matter: most have ten, and those of blanks or lines 128."""
LONG_TOKENS_WORK: Final = 25_000_000
"""Characters of all longer tokens, each times its length, as the work grows with the square: two seconds.
Claude's token of 1,024 spaces is a 25th of it."""
ADDED_CHARACTERS: Final = 500_000
"""Characters of all added tokens together, for which the library builds an automaton: what people use has
70,000 at most."""
WORD_CHARACTERS: Final = 1_000
"""What a file may set as the longest word that WordPiece splits, where BERT has 100: the work grows with the
square."""
READING_FILES_SECONDS: Final = 30.0
"""Processor time for a tokenizer's files to be read: the largest that people use take some seconds."""
READING_FILES_PACE: Final = 2e-7
"""Expected seconds for a byte of a tokenizer's files to be read: 40 MB take 8 seconds."""
READERS: Final = 2
"""Processes that have tokenizers from elsewhere: one for what takes long, so that others needn't wait."""
READER_ROOM: Final = 2 * TOKENIZER_LIMIT
"""Bytes of files whose tokenizers such a process has loaded: two of the largest, or dozens."""
READER_IDLE_SECONDS: Final = 60.0
"""Time after which such a process ends when nobody asks it: a tokenizer takes up to 150 MB, and is loaded
again in a second."""
GIVEN_UP_REMEMBERED: Final = 50
"""Texts of one tokenizer that took too long and aren't tried again: a page asks at every click."""
LOADING_SECONDS: Final = 180.0
"""Time that a page waits for a tokenizer that somebody brings: a download may take it, and so may reading on
a server with much to do."""
REPOSITORY_LIMIT: Final = 96
"""Characters of a repository's name: as many as the hub itself takes."""
REACH_SECONDS: Final = 3.0
"""Time that the hub may take to answer the first knock: a server without a way out should say so soon."""
ANSWER_SECONDS: Final = 10.0
"""Time that it may take to answer a question: somebody waits."""

# --- Checking a vocabulary ----------------------------------------------------------------------------------

HEALTH_HERE: Final = 400
"""Tokens of a vocabulary that is checked where it is asked for: that takes some hundredths of a second."""
HEALTH_SECONDS: Final = 60.0
"""Time for a check: GPT-2's 50,000 tokens take some seconds, 300,000 of another half a minute."""
HEALTH_PACE: Final = 1e-4
"""Expected seconds for a token to be checked: GPT-2 takes half as many."""

# --- Chats --------------------------------------------------------------------------------------------------

CHAT_MESSAGES: Final = 40
"""Messages of a chat: each is a row of widgets, and the template is rendered once more for each to find its
own text."""
CHAT_CHARACTERS: Final = 50_000
"""Characters of all messages of a chat: a long document in one of them, and every token is drawn."""
CHAT_TEMPLATE_LIMIT: Final = 100_000
"""Characters of a chat template: the longest that is in use has 30,000."""
CHAT_TEMPLATES: Final = 20
"""Templates of one tokenizer: those that have several have three."""
CHAT_FILE_LIMIT: Final = 4_000_000
"""Bytes of a file beside a tokenizer that may hold its chat template: Gemma's has a million, with 6,000 added
tokens."""
CHAT_OUTPUT_LIMIT: Final = 200_000
"""Characters that a template may make of a chat: four times the messages, and each of them is encoded."""
CHAT_SECONDS: Final = 1.0
"""Processor time for a chat to be rendered: templates in use take some milliseconds, and a page waits."""
CHAT_GRACE: Final = 0.5
"""Seconds after that until the process is ended: what can't be interrupted, such as one huge multiplication,
takes the process along."""
CHAT_EXPECTED: Final = 0.05
"""Expected seconds for a chat to be rendered: it is short work, and goes first."""
CHAT_MEMORY: Final = 200_000_000
"""Bytes that a template may add to its process: those in use take a few thousand."""
CHATS_ROOM: Final = 8_000_000
"""Bytes of rendered chats that are kept: a page asks again at every click."""
CHAT_FILES_KEPT: Final = 100
"""Tokenizers whose chat templates are kept: of some 10 KB each."""

# --- A text box that is typed into --------------------------------------------------------------------------

DESKS_ROOM: Final = 32_000_000
"""Bytes of the texts that are being typed into all playgrounds: eight of the longest, or thousands of usual
ones. Whose is gone sends it again."""
TYPED_BODY: Final = STATES_LIMIT
"""Bytes of one message from a text box: the longest text, each character escaped. After the first, it has the
change alone."""
TYPED_RATE: Final = Rate(60, 15)
"""Messages of one text box: a typist presses ten keys a second, and a key that is held repeats thirty times;
those wait for one another."""
TYPED_BYTES: Final = Rate(3 * TYPED_BODY, 2_000_000)
"""Bytes of them: some long texts pasted at once."""
TYPED_AT_ONCE: Final = 2
"""Texts from text boxes that are encoded at the same time: one long one shouldn't keep the short ones
waiting, and Python runs one thread at a time."""
TYPED_WAITING: Final = 40
"""How many more wait for their turn: a usual one takes a hundredth of a second. Whoever comes then gets the
tokens with the rest of the page."""

# --- Answers and challenges ---------------------------------------------------------------------------------

ANSWER_LIMIT: Final = 4_000
"""Characters of an answer: the longest right one, a corpus, has a quarter of that."""
CORPUS_LINES: Final = 50
"""Lines of a corpus that is an answer: it is trained on at once."""
CORPUS_WORD: Final = 40
"""Characters of one of its words: as many stand in a line of the page."""
CORPUS_COUNT: Final = 1_000_000
"""How often one of its words may occur: seven digits can still be read."""
EXERCISE_LIMIT: Final = 999_999_999
"""The highest number of an exercise: nine digits can be read out."""
TITLE_LIMIT: Final = 80
"""Characters of a challenge's title: it is in the link."""
NAME_LIMIT: Final = 80
"""Characters of a student's name: it is in the code."""
CHALLENGE_LIMIT: Final = 100
"""Steps that one challenge asks about: an hour's work."""
CODES_LIMIT: Final = 500
"""Codes that are checked at once: a lecture hall's."""

CLASS_QUERY: Final = SEALED_LIMIT
"""Characters of an address to which a class is led: a challenge's is the longest."""
# --- Classes ------------------------------------------------------------------------------------------------

CLASS_SECONDS: Final = 24 * 60 * 60.0
"""Time after which a class is forgotten with all its answers: nobody looks for a lecture of the day
before."""
CLASSES: Final = 100
"""Classes that the servers of one app have at once: each holds `CLASS_BYTES` on disk at most, and those in
use some of that in memory."""
CLASS_IDLE: Final = 2 * 60 * 60.0
"""Time without any message after which a class may go when there is no room for a new one: a break is
shorter."""
CLASS_BYTES: Final = 8_000_000
"""Bytes of what was said in one class: 300 students with 300 answers, clicks and moves each, of some 80
bytes, at worst."""
CLASS_RESERVE: Final = 1_000_000
"""Bytes of them that students can't use up: the lecturer's steps, a day long, still find room."""
CLASS_DEVICES: Final = 1_200
"""Devices in one class: a lecture hall and its overflow rooms, with a second device for some. Each is known
by a number."""
DEVICE_ENTRIES: Final = 400
"""Messages of one device that change anything: twenty questions, each answered ten times, and as many clicks
on “Lost me”."""
ANSWER_CHANGES: Final = 20
"""Times that a device may change its answer in one round: who hesitates longer has no answer."""
ROUNDS: Final = 200
"""Questions to one class: one in two minutes makes a day of it. Its summary is one page."""
CLASS_BODY: Final = 70_000
"""Bytes of one message to a class: of a place with the longest link, a challenge's, with room."""
CLASS_LINE: Final = CLASS_BODY + 2_000
"""Bytes of one entry of a class's log, which has letters other than ASCII as six bytes or twelve: all that
hear of it are sent as many."""
QUESTION_BYTES: Final = 24_000
"""Bytes of a question as it is written down: twelve choices and a long sentence in three languages have less
than half as many."""
STUDENT_BODY: Final = 4_000
"""Bytes of one message from a student's device: the seal that says which it is, and an answer."""
REPLY_LIMIT: Final = 400
"""Characters of an answer: the split of a long word, or a sentence."""
NUMBER_LIMIT: Final = 40
"""Characters of an answer that is a number, and of each in the key: twice as many as a number in Python has
digits."""
NICKNAME_LIMIT: Final = 24
"""Characters of a nickname: as many stand in a column."""
QUESTION_LIMIT: Final = 1_000
"""Characters of a question in one language, and of a choice: more can't be read from a wall."""
CHOICES_LIMIT: Final = 40
"""Choices of one question, and right answers: a phone's screen shows a dozen, and ties may make many
right."""
CHOICE_TOKENS: Final = 40
"""Tokens of one choice: those of a long word."""
CHOICE_SHOWN: Final = 200
"""Characters of a choice in the table of grades: it stands there again for each student who chose it."""
QUESTION_PARTS: Final = 100
"""Texts and tokens of one sentence: a question about a prune lists fourteen pieces with their
probabilities."""
WORD_SHOWN: Final = 40
"""Characters of a word that is to be split on a phone: two lines of it."""
QUESTION_SECONDS: Final = 900
"""Seconds of a countdown, at most: a quarter of an hour is an exercise."""
LATE_SECONDS: Final = 2.0
"""Time after the end of a countdown in which answers still count: they were under way, and clocks differ."""
GIVEN_QUESTIONS: Final = 100
"""Questions of an exercise set or a challenge that is given to a class: as many as a challenge may have."""
BARS: Final = 12
"""Bars of a distribution where anything may be answered; the rest are counted together: more can't be told
apart on a wall."""
DECK: Final = 60
"""Questions that are prepared for classes: a course has as many. The browser keeps them."""
PREPARED_AT: Final = 2_000
"""Characters of the address that a prepared question is asked at: of a link with a text of one's own."""
PREPARED_ID: Final = 20
"""Characters of what tells one of them from the others: chance enough for a thousand."""
CHOICE_TYPED: Final = 200
"""Characters of a choice of one's own: two lines of a wall."""
MOST_TYPED_CHOICES: Final = 6
"""Choices of a question of one's own: as many bars as a wall has room for."""
DECK_BYTES: Final = 200_000
"""Bytes of a file of prepared questions: some two hundred long ones. The browser keeps them, and its store
has 5 MB for all."""
FREE_BARS: Final = 40
"""Different answers in one's own words that the lecturer is shown, to pick from; the rest are counted
together: more aren't read in a lesson."""
JUDGED_AT_ONCE: Final = 100
"""Words that are graded by the engine at once: some hundredths of a second."""
WORD_PARTS: Final = 20
"""Tokens into which a word is to be split: a word that splits into more is no word that a student thinks
of."""
LOST_PLACES: Final = 2_000
"""Places at which students of one class may get lost: a lecturer who steps all day shows no more."""
CLASS_BEHIND: Final = 400
"""Entries of a class's log that a reader who fell behind is sent one by one: the present state, which is sent
to whoever missed more, is as long."""
CLASS_BEHIND_BYTES: Final = 128_000
"""Bytes of them, or the latest alone: with the longest addresses and questions, the present state is the
shorter way, too."""
STREAM_PIECE: Final = 16_000
"""Bytes that an event stream hands over at once: what its reader hasn't taken is made when there is room for
it."""
STREAM_TURN: Final = 0.005
"""Seconds for which one stream has the event loop to itself: with more, a full class that comes back would
hold up everybody."""
SUMMARY_PIECE: Final = 64_000
"""Bytes of a summary that are sent at once: the largest has some millions."""
SUMMARY_RATE: Final = Rate(10, 1)
"""Summaries of one class, of all kinds, for all who have its key: a lecturer looks at one, and saves each
kind. Asked for at the same moment, a kind is made once."""
CELL_LIMIT: Final = 2_000
"""Characters of an address in a spreadsheet, where each line of a question repeats it: longer ones are left
out, since half of one leads nowhere."""
CLASS_KEPT_SECONDS: Final = 120.0
"""Time for which a process keeps a class in memory that nobody there listens to: everybody may be
reconnecting."""
CLASS_POLL: Final = 0.05
"""Seconds between two looks for what other servers have written: nobody sees a delay of a twentieth of a
second."""
PING_SECONDS: Final = 15.0
"""Seconds after which a quiet event stream says that it is there: proxies give up after a minute of
silence."""
PRESENCE_SECONDS: Final = 1.0
"""Seconds between two counts of who is there: more would only flicker."""
PRESENCE_LOST: Final = 10.0
"""Time after which a server that has said nothing is taken for dead: its students are coming back
elsewhere."""
TALLY_SECONDS: Final = 0.1
"""Seconds between two counts of the answers: 300 students answer within five seconds."""
STREAMS_EACH: Final = 8
"""Event streams of one device, or of one key: a lecturer's pages, on two devices. The oldest ends when there
are more."""
CLASS_RATES: Final[Mapping[str, Rate]] = {
    # A lecturer tries a few; a course opens one for each lecture. Within a day, one address can't use up all
    # that there may be.
    "open": Rate(8, 1 / 1200),
    # A hall joins within a minute, and again where a phone forgets.
    "join": Rate(2 * HALL, 10),
    # Codes that there are not: a hall mistypes as often when it joins. With 47 million codes, a hundred of
    # them in use, who tries at this rate for a day finds one with a chance of less than one in a hundred.
    "wrong": Rate(100, 1 / 30),
    # Everything else: all answer at once, or follow again.
    "post": Rate(4 * HALL, 2 * HALL),
    # A server restarts, and everybody is back at once; pages are turned.
    "stream": Rate(4 * HALL, HALL),
}
"""What one address may ask of classes: it may be a lecture hall's, so a hall's worth at once. What comes
faster is refused."""
DEVICE_RATE: Final = Rate(30, 2)
"""Messages of one device: a thumb is slower. A key has five times as many: a lecturer who holds the arrow
key."""
KEY_SHARE: Final = 5
"""How many times more messages than a device a key may send: a lecturer steps quickly, on two devices."""
QR_LIMIT: Final = 1_200
"""Characters of an address that becomes a code: longer ones have modules too small for a phone at the back of
a hall."""
CREDENTIAL_LIMIT: Final = 300
"""Characters of a sealed key or device: those that are made here have less than 150."""

# --- Tables, pages and files --------------------------------------------------------------------------------

WORDS_LISTED: Final = 2_000
"""Words or tokens in a box to choose from, or in a table: all rows are sent to the browser."""
MOST_ROWS: Final = 20_000
"""Rows of a step's table that are shown or looked through when somebody asks: they take the server 0.3
seconds each time."""
TOKEN_SHOWN: Final = 400
"""Characters of a token that is shown whole; of a longer one its beginning and its end: a million letters can
be one token."""
STEPS_TOLD: Final = 400
"""Steps of one word's encoding that are drawn: all are sent to the browser."""
ANSWERS_LISTED: Final = 500
"""A learner's latest answers that are listed: each is a row of the page."""
HANDOUT_STEPS: Final = 400
"""Steps that a handout holds: every frame is drawn into it."""
NOTEBOOK_ROOM: Final = 4_000_000
"""Bytes of frames in a notebook's cell: the notebook's file keeps them, and is sent whole each time that it
is saved. Drawing them takes a second or two, also of a run of 20,000 steps on 60,000 words."""
NOTEBOOK_STEP: Final = 20_000
"""Bytes of one step in a notebook's cell: a notebook shows many, and its file keeps them all."""
NOTEBOOK_ENCODING: Final = 10_000
"""Bytes of an encoding in a notebook's cell: for the same reason; it shows the tokens that have room
there."""
NOTEBOOK_TOKENS: Final = 1_000
"""Tokens of an encoding in a notebook's cell: more have no room, however short they are."""
NOTEBOOK_TEXT: Final = 3_000
"""Bytes of what is beside a frame as text: for viewers that take frames out, and a part of those of the step
or encoding."""

# --- What the server keeps ----------------------------------------------------------------------------------

TRACES_ROOM: Final = 300_000_000
"""Bytes of finished runs that all sessions share: a server with 1 GB has room for them."""
LARGE_RUN: Final = 10_000_000
"""Bytes of a finished run that is kept only while somebody is there who has asked for it: of 200 KB of prose
it takes five to nine million, and is kept for whoever comes next while there is room."""
TOKENIZERS_KEPT: Final = 8
"""Tokenizers from elsewhere: 150 MB each at the most, and many at 10 MB."""
TEXTS_ROOM: Final = 64_000_000
"""Bytes of texts that were too long for a link: six of the largest, or hundreds of pasted ones."""
CORPORA_ROOM: Final = 300_000_000
"""Bytes of corpora that were uploaded, in memory: a megabyte for each student of a lecture hall, or thirty of
the largest."""
LARGEST_TEXT: Final = 4 * PLAYGROUND_LIMIT
"""Bytes of one of them: a character has four at most, and a larger text would push everybody else's out."""
FILES_ROOM: Final = 160_000_000
"""Bytes of tokenizers' files: a few of the largest, or many ordinary ones."""
COMPILED_ROOM: Final = 160_000_000
"""Bytes of tokenizers' files that were made ready to be used again: a dozen, each a third of its
tokenizer.json."""
COMPILED_MERGES: Final = 10_000
"""Merges from which on a tokenizer is kept like this: a smaller one is read in a tenth of a second."""
HUB_ROOM: Final = 400_000_000
"""Bytes of public tokenizers on disk: ten of the largest, or a hundred ordinary ones."""
DOWNLOADS_ROOM: Final = 30_000_000
"""Bytes of files that were made to be downloaded: handouts take up to a megabyte, a tokenizer.json five."""
FRAMES_ROOM: Final = 64_000_000
"""Bytes of frames that were drawn: those of a lecture hall that looks at the same steps."""
REMEMBERED_ROOM: Final = 32_000_000
"""Bytes of lists and texts that pages have made: some kilobytes each; of a large corpus some megabytes."""
TOKENS_ROOM: Final = 8_000_000
"""Bytes of drawn tokens, for each of the three ways to draw them: 15,000 usual ones. A token of 400 control
characters takes 11 KB, so a cache of 50,000 entries could take 500 MB."""
CHIPS_ROOM: Final = 16_000_000
"""Bytes of the playground's chips: 15,000 usual ones, six pages of them."""
LATTICES_ROOM: Final = 16_000_000
"""Bytes of what is drawn of lattices, and of the lattices themselves: thirty words of the longest that are
drawn."""
EDGE_SIZE: Final = 1_000
"""Bytes that an edge of a lattice takes with all that is worked out for it: its bar, its best path, its
sentences."""
PACKED_ROOM: Final = 8_000_000
"""Bytes of texts that were compressed for a link: a dozen of the longest, hundreds of usual ones."""
PUT_ROOM: Final = 24_000_000
"""Bytes of texts that are known to be in the store: the largest upload, and dozens of usual texts."""
SCENES_ROOM: Final = 1_000_000
"""Bytes of what is known of stages that come with the page: a thousand addresses."""
EARLY_ROOM: Final = 8_000_000
"""Bytes of pages with such a stage, compressed: a hundred of the largest."""
RENEWED_ROOM: Final = 200_000_000
"""Bytes of tokenizers whose training goes on, ten for each of their file: one of the largest, or ten usual
ones."""
STATIC_ROOM: Final = 16_000_000
"""Bytes of scripts, styles and faces, compressed: all that Streamlit has take half as many, those of our
pages two million."""
STATIC_FILE: Final = 8_000_000
"""Bytes of one of them that is compressed and kept: the largest, which draws charts, has 4.7 million."""
TRAININGS_AT_ONCE: Final = 2
"""Processes that train at the same time, of a hundred MB each: one for large texts, so that small ones
needn't wait."""
SESSIONS_REMEMBERED: Final = 1_000
"""Sessions, and addresses, of which it is known what they have had: one that is forgotten is served as if it
were new."""
FAIR_SECONDS: Final = 300.0
"""Time after which half of what a session or an address has had is forgotten: whoever has trained much waits
behind others, and not for the rest of the lecture."""
TRAININGS_WAITING: Final = 60
"""Runs that wait for their turn: as many are trained in a minute."""
TRAINING_MEMORY: Final = 2_000_000_000
"""Bytes of address space for a process that trains: ten megabytes of program code take Unigram 825 MB, and
only a text without any repetition takes more."""
TRAINER_ROOM: Final = 60_000_000
"""Bytes that a process which trains may take for a run and still take the next one: a class's runs take less,
and what a larger one leaves behind, 160 MB after a long text for Unigram, goes with its process."""
TRAINER_IDLE_SECONDS: Final = 60.0
"""Time after which a process that has trained or drawn makes way for a new one when nobody asks it: together
they kept 160 MB after ten minutes of attacks. A new one takes half a second of processor time."""
SLOWER: Final = 5
"""How many times longer than expected something may take where there is much else to do: a process has its
limit in processor time, and so many times that by the clock."""
TRAINING_SECONDS: Final = 180
"""Processor time for one run: BPE and WordPiece take a tenth of it at most, Unigram more with a large text
and a large seed."""
DRAWER_ROOM: Final = 100_000_000
"""Bytes of traces that the process which draws holds: it may take no more memory than one that trains, and
dies of more."""
DRAWING_SECONDS: Final = 20
"""Processor time for one window of frames: the largest takes a second or two, and a page waits for it."""
TRACE_LIMIT: Final = 30_000_000
"""Bytes of a finished run as it comes from the process that trained it: ten times as many in memory."""
SMALL_TASK: Final = 600
"""Bytes of a text that is trained on where it is asked for: it takes a few hundredths of a second, as drawing
a page does."""
FEW_FRAMES: Final = 24
"""Frames that are drawn where they are asked for: it takes some tens of milliseconds."""
HERE_SECONDS: Final = 0.2
"""Expected seconds of a training up to which a small text is trained where it is asked for: what is expected
may be several times too much, seldom too little, and drawing a page takes as long."""
SHORT_SECONDS: Final = 1.0
"""Expected seconds of a training up to which it is short: only such ones may take the last free process, so
that one is free again soon."""
JOBS_EACH: Final = 2
"""Trainings that one session has under way: a new one gives up the oldest that no page of it waits for any
more."""
JOBS_ON_A_PAGE: Final = 4
"""Trainings of one session that pages are waiting for, at most: the playground opens four tokenizers at
once."""


FORGOTTEN_SECONDS: Final = 120.0
"""Time after which a run that no page asks after is given up: a browser asks each minute at least, in a
hidden tab."""
QUICK: Final = 0.4
"""Seconds that a page waits for a run before it shows a progress bar: a shorter one would only flicker."""
WORTH_LIMIT: Final = 400
"""Pieces whose loss is worked out anew for a table: as many take a second."""
EXERCISES_REMEMBERED: Final = 500
"""Exercises of a session whose answers are remembered: more than a course has."""
WINDOWS_LIMIT: Final = 2_000
"""Windows that a text is cut into: two long texts, both cut, would have millions."""
NORMALIZED_LIMIT: Final = 20_000
"""Characters that are looked through for what a normalizer changes: it runs with every key that is
pressed."""
COUNTS_ROOM: Final = 12_000_000
"""Bytes of texts whose characters, words and sentences stay counted: the ones that are typed in just now."""
SUBJECTS_ROOM: Final = 400_000_000
"""Bytes of tokenizers at a step of their training: two dozen that have encoded long texts. Their traces are
kept elsewhere."""
TOKEN_SIZE: Final = 400
"""Bytes that a token of such a tokenizer takes besides its letters: in lists, in dictionaries, with its
pair."""
RUNS_REMEMBERED: Final = 8
"""A session's latest training runs that are offered elsewhere: as many can be told apart in a list."""
BROUGHT_REMEMBERED: Final = 8
"""A session's latest tokenizers from elsewhere that are offered: as many can be told apart in a list."""
WINDOW_LIMIT: Final = 100_000_000
"""Tokens of a context window that the playground compares a text with: ten times the longest that is
offered."""

# --- A site of static pages ---------------------------------------------------------------------------------

SITE_ROOM: Final = 5_000_000
"""Characters of the frames of a flipbook on a page of a site: 400 steps of most runs. Compressed, they are a
twentieth of that."""
LIVE_TEXT: Final = 20_000
"""Characters of a text that is trained on in a visitor's browser, where Python is several times slower: ten
pages take a second or two."""
LESSON_BYTES: Final = 500_000
"""Bytes of a lesson.toml: a book's chapter has a tenth of that. Its corpora may be in files of their own."""
LESSON_PARTS: Final = 60
"""Parts of a lesson, each with a run at the most: a browser opens as many flipbooks in seconds."""
LESSON_QUESTIONS: Final = 40
"""Questions of a part of a lesson, and as many notes on steps, answers and choices: a worksheet has a tenth
of that."""
LESSON_TEXT: Final = 20_000
"""Characters of a text in a lesson: ten pages."""
LESSON_LINE: Final = 500
"""Characters of a title, a question, an answer: several lines of it."""

# --- What the server writes down ----------------------------------------------------------------------------

RECORDS_ALIKE: Final = 5
"""Records that one place in the code may write in the same minute: more say nothing new, and a browser can
make a server fail ten times a second."""
RECORDS_SECONDS: Final = 60.0
"""Time after which it may write again: whoever reads the log soon sees that it goes on, and how often."""
RECORD_LIMIT: Final = 8_000
"""Characters of a record: a traceback through Streamlit and a page has some four thousand; a message may
quote a visitor's text."""
LOST_LIMIT: Final = 2_000
"""Characters of an address without a page that are passed on: its query goes along to the page that was
meant."""
LOOKUP_LIMIT: Final = 10_000
"""Characters of the ids that are looked up at once: room for `IDS_LIMIT` of them, however they are
separated."""
IDS_LIMIT: Final = 2_000
"""Ids that are looked up at once: a page of text; a table of more says nothing to anybody."""
