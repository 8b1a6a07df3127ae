"""The words of a class on the browser's side: the lecturer's strip and wall, the students' card, the
summary; and the form of its code."""

from __future__ import annotations

import unicodedata
from typing import Final

from tokensteps.language.i18n import _, listed, ngettext, pgettext

OWN_WORDS: Final = frozenset({"choice", "is_right", "right_empty", "more_choices", "no_right"})
"""Words of the form for a question of one's own, besides those with “own” at the beginning."""
CODE_LETTERS: Final = "CDFHJKMNPRTWXY34679"
"""No two look alike, on a wall or read aloud (no O and 0, I and 1, B and 8, S and 5, U and V); without vowels
they form no words."""
CODE_LENGTH: Final = 6


def read_code(typed: str | None) -> str | None:
    """A typed code in its normal form, also from an Asian keyboard; None for an impossible one.

    >>> read_code(" cdf-hjk "), read_code("ＣＤＦ　ＨＪＫ"), read_code("CDFHJO"), read_code(None)
    ('CDFHJK', 'CDFHJK', None, None)
    """
    code = _normal(typed)
    return code if len(code) == CODE_LENGTH and set(code) <= {*CODE_LETTERS} else None


def misread(typed: str | None) -> list[str]:
    """The letters and digits of a typed code that no code has, such as an 8 for a 3.

    >>> misread("cdf8j8"), misread("CDFHJ"), misread("CDF<b>")
    (['8'], [], [])
    """
    code = _normal(typed)
    whole = len(code) == CODE_LENGTH and code.isalnum()
    return [letter for letter in dict.fromkeys(code) if letter not in CODE_LETTERS] if whole else []


def _normal(typed: str | None) -> str:
    narrow = unicodedata.normalize("NFKC", (typed or "")[:40])
    return "".join(narrow.split()).replace("-", "").upper()


def class_labels() -> dict[str, str]:
    """All words of a class's strip, for the lecturer and for students."""
    return {
        **_strip_words(),
        **_presenter_words(),
        **_panel_words(),
        **_wall_words(),
        **_card_words(),
        **bar_labels(),
        **class_errors(),
    }


def _strip_words() -> dict[str, str]:
    return {
        "class_code": _("Class {code}"),
        "connecting": _("Connecting to the class …"),
        "ended": _("The class has ended."),
        "ask": pgettext("a class", "Ask"),
        "give": _("Give to the class"),
        "progress": _("Progress"),
        "blank": _("Blank their screens"),
        "call_back": _("Call back"),
        "let_go": _("Let go"),
        "pace": _("Keep between …"),
        "kept": _("Between steps {first} and {last}"),
        "paced": _("At your own pace: steps {first} to {last}"),
        "lost_number": _("Lost: {number}"),
        "code": _("Join code"),
        "end": _("End the class"),
        "following": _("Following the class"),
        "apart": _("On your own"),
        "waiting": _("Waiting for the lecturer"),
        "away": _("No connection to the class: trying again"),
        "back": _("Back to the class"),
        "unsure": _("You lost me"),
        "said_lost": _("Noted"),
        "leave": _("Leave the class"),
        "presenter": _("Presenter view"),
        "prepared": _("Prepared: {number}"),
        "none_prepared": _("No prepared question is left for here."),
        "blanked": _("Please look to the front."),
        "here_one": ngettext("{number} here", "{number} here", 1),
        "here_other": ngettext("{number} here", "{number} here", 2),
        "follow_one": ngettext("{number} follows", "{number} follow", 1),
        "follow_other": ngettext("{number} follows", "{number} follow", 2),
    }


def _presenter_words() -> dict[str, str]:
    return {
        "activity": _("Activity {number} of {of}"),
        "expected": _("Expected answer:"),
        "activity_back": _("Previous activity"),
        "next_activity": _("Next activity"),
        "this_step": _("Step {number}, now:"),
        "next_step": _("Step {number}, next:"),
        "step_back": _("Back"),
        "step_on": _("Next"),
        "show_short": _("Show"),
        "blank_short": _("Blank"),
        "ask_prepared": _("Ask: {question}"),
        "minutes": _("min"),
    }


def _panel_words() -> dict[str, str]:
    return {
        "close": _("Close"),
        "join_title": _("Join the class"),
        "join_how": _("Scan the picture, or open this app and type the code on its home page:"),
        "start": _("Start"),
        "address": _("Address that students can reach"),
        "wifi": _(
            "If their phones can't open it: many Wi-Fi networks keep their guests apart. Put everybody on the hotspot of a "
            "phone, or use a server with a public name, and change the address here."
        ),
        "copy": _("Copy the link"),
        "copied": _("Copied"),
        "qr": _("QR code with the link for students"),
        "no_qr": _("No QR code for this address."),
        "names": _("Ask for nicknames: the summary then says who answered what"),
        "names_hint": _("Students may leave it empty. It can be switched on before the first question only."),
        "teams": _("Teams"),
        "teams_number": _("{number} teams"),
        "no_teams": _("none"),
        "teams_hint": _("By turns, as students join. Bars then stand by team."),
        "second_device": _("Teach from a second device"),
        "second_hint": _("For you alone: whoever scans this leads the class."),
        "lead_title": _("Lead class {code}?"),
        "lead_means": _(
            "This link has the lecturer's key of the class. With it, this browser leads: whatever you open from then on, and the text "
            "on it, is shown to everybody in the class."
        ),
        "lead_whose": _(
            "Lead it if it is your own, and you have just scanned the picture on your own screen. If somebody has sent you the "
            "link, don't."
        ),
        "lead": _("Lead the class"),
        "only_join": _("Only join it"),
        "pace_title": _("Keep everybody between two steps"),
        "pace_how": _(
            "Each student steps alone between these two, and no further, whatever you step through meanwhile. It ends when you go to "
            "another run."
        ),
        "pace_first": _("From step"),
        "pace_last": _("To step"),
        "pace_keep": _("Keep them there"),
        "pace_end": _("Let everybody follow again"),
        "pace_wrong": _(
            "{first} to {last} is no range: type two step numbers from 0 up, the smaller one first."
        ),
        "pace_beyond": _("There is no step {first} here yet: choose one up to {last}."),
        "lost_title": _("Where you lost them"),
        "lost_how": _("How often “You lost me” was pressed, by step."),
        "nobody_lost": _("Nobody has pressed “You lost me” so far."),
        "progress_title": _("How far the class is"),
        "progress_told": _("{done} of {of} · {right} right"),
        "take_back": _("Take it back"),
        "end_title": _("End the class?"),
        "end_sure": _("Students stay on their pages. You get the summary."),
        "not_yet": _("Not yet"),
    }


def _wall_words() -> dict[str, str]:
    return {
        "ask_class": _("Ask the class"),
        "question": _("Question"),
        "next_vote": _("The same question, vote {number}"),
        "kind": _("Ask for"),
        "no_run": _("This page has no training steps to ask about: write a question of your own."),
        "run_over": _("The run has no further step to ask about: go back, or write a question of your own."),
        "own": _("A question of your own"),
        "own_question": _("Your question"),
        "own_hint": _("Choices. Mark the right one:"),
        "no_right": _("None is right: ask for an opinion"),
        "right_empty": _("Choice {number} is marked as right and is empty: type it, or mark another."),
        "own_kind": _("Answered by"),
        "own_choices": _("choosing"),
        "own_number": _("a number"),
        "own_free": _("their own words"),
        "own_parts": _("a word that the tokenizer splits"),
        "own_split": _("splitting a word"),
        "own_right": _("Right answer"),
        "own_pieces": _("Into how many tokens"),
        "own_number_hint": _("Without a right answer, you ask for an estimate."),
        "own_free_hint": _(
            "You alone see the answers, in the presenter view, and pick what goes on the wall."
        ),
        "own_parts_hint": _(
            "The tokenizer of the class's step grades each word. You pick what goes on the wall."
        ),
        "own_split_hint": _(
            "Type the word with a space at each cut, as it is right; without spaces, nothing is right or wrong."
        ),
        "own_empty": _("Type a question."),
        "own_parts_wrong": _("Type a whole number of tokens from 1 to 20."),
        "own_split_wrong": _("Type a word of 2 to 40 letters."),
        "pick_hint": _("Only you see these. Pick what goes on the wall, without names:"),
        "own_missing": _("Type a question and at least two choices."),
        "own_twice": _("Two choices are the same: change one."),
        "choice": _("Choice {number}"),
        "is_right": _("Choice {number} is right"),
        "more_choices": _("More choices"),
        "countdown": _("Countdown"),
        "no_time": _("none"),
        "seconds": _("{number} s"),
        "ask_now": _("Ask now"),
        "answered": _("{number} of {of} have answered"),
        "show": _("Show answers"),
        "reveal": pgettext("to a class", "Reveal"),
        "again": _("Vote again"),
        "drop": _("Take it back"),
        "go_on": _("Go on"),
    }


def _card_words() -> dict[str, str]:
    return {
        "nickname": _("Your nickname"),
        "nickname_hint": _("You may leave it empty. Your teacher sees it beside your answers."),
        "unnamed": _("Without a name"),
        "look": _("Look at the page"),
        "answer_it": _("Answer"),
        "done": _("Done"),
        "choices": _("Choices"),
        "your_words": _("Your answer"),
        "no_words": _("Type an answer first."),
        "number": _("Your number"),
        "erase": _("Erase one character"),
        "cut": _("Cut between {left} and {right}"),
        "cut_hint": _("Tap between two letters to cut there."),
        "send": _("Send"),
        "can_change": _("You can change your answer until the answers are shown."),
        "sent_short": _("Sent"),
        "sent": _("Sent. You can change it until the answers are shown."),
        "closed": _("Answers are closed. Look at the wall."),
        "too_late": _("Your last answer came too late: it doesn't count."),
        "unread": _("Type a number, such as 12, 0.05 or 1/20."),
        "you_right": _("Right."),
        "you_tied": _("Tied: as good, but the rule chooses another."),
        "you_wrong": _("Not this one."),
        "no_answer": _("You didn't answer this one."),
        "asked_opinion": _("Thank you. There was no right or wrong."),
        "your_answer": _("Your answer:"),
        "right_answer": _("The right answer:"),
        "right_answers": _("The right answers:"),
        "and_others": _("and others"),
    }


def bar_labels() -> dict[str, str]:
    """The words beside bars, on the wall and in the summary."""
    return {
        "answer": _("Answers"),
        "votes": _("Votes"),
        "vote": _("Vote {number}"),
        "others": _("others"),
        "right": _("right"),
        "tied": _("tied"),
        "team": _("Team {name}"),
        "lost_curve": _("How often students were lost, by step"),
        "lost_at": _("step {step}: {number}"),
        "tied_number": _("tied: {number}"),
        "mark_right": _("right"),
        "mark_wrong": _("wrong"),
        "none_picked": _("No answer has been picked for the wall so far."),
    }


def students_labels() -> dict[str, str]:
    """The words for students and their answers."""
    return {
        "students_title": _("Who has answered what"),
        "no_students": _("Nobody has joined so far."),
        "who": _("Student"),
        "student": _("Student {number}"),
        "none": _("no answer"),
        "mark_right": _("right"),
        "mark_half": _("right at the second try"),
        "mark_quarter": _("right at the third try"),
        "mark_tied": _("tied"),
        "mark_wrong": _("wrong"),
        "tries": _("tries: {number}"),
        "total": _("Total"),
        "total_of": _("{total} of {of}"),
    }


def class_errors() -> dict[str, str]:
    """Why something was refused, by the server's name for it, and the remedy."""
    closed = _("Answers are no longer taken.")
    again = _("That didn't get through: try again.")
    return {
        "error_offline": _("The server can't be reached: check the network, and try again."),
        "error_gone": _("There is no class with this code: look at the code again."),
        "error_key": _("This browser isn't part of the class: open the link again."),
        "error_ended": _("The class has ended."),
        "error_full": _("There is no room for another one right now: try again in a few minutes."),
        "error_often": _("Too many requests from here: wait a moment, and try again."),
        "error_late": closed,
        "error_shown": closed,
        "error_round": closed,
        "error_large": _("That is too long: shorten it."),
        "error_form": _("The server didn't understand that: reload the page."),
        "error_names": _("Nicknames can be asked for before the first question only."),
        "error_place": _("Open a page for the class first."),
        "error_enough": _("You have changed your answer too often: the last one counts."),
        "error_store": again,
    }


def deck_labels() -> dict[str, str]:
    """The words for prepared questions."""
    words = _wall_words()
    own = {name: words[name] for name in words if name.startswith("own") or name in OWN_WORDS}
    return {
        **own,
        "unread": _("Type a number, such as 12, 0.05 or 1/20."),
        "error_large": _("That is too long: shorten it."),
        "write": _("Write a question"),
        "open_file": _("Open a file"),
        "save_file": _("Save as a file"),
        "read": _("New questions: {number}"),
        "edit": _("Edit"),
        "move_up": _("Move up: {name}"),
        "move_down": _("Move down: {name}"),
        "moved": _("Now at place {number} of {of}"),
        "delete": _("Delete: {name}"),
        "keep": _("Keep"),
        "cancel": _("Cancel"),
        "activity": _("Belongs to"),
        "any_activity": _("no activity: wherever the class is"),
        "at": _("Page and step (a link; empty for wherever the class is)"),
        "at_wrong": _("That is no page of this app: copy the link from its tab “Files and link”."),
        "full": _("There is room for 60 questions: delete one first."),
    }


def open_labels() -> dict[str, str]:
    """The button to open a class."""
    often = _(
        "Too many classes were opened from this network: the next one opens in 20 minutes at the latest."
    )
    return {"open": _("Open a class"), **class_errors(), "error_often": often}


def again_label() -> str:
    """The way back to a class."""
    return _("Go on with class {code}")


def summary_labels() -> dict[str, str]:
    """The summary of a class."""
    return {
        **bar_labels(),
        **class_errors(),
        "summary": _("Summary of class {code}"),
        "yours": _("Your classes"),
        "joined": _("Students: {number}"),
        "questions": _("Questions: {number}"),
        "none_asked": _("No question was asked."),
        "answered": _("{number} of {of} answered"),
        "share_right": _("{share} right"),
        "share_tied": _("{share} tied"),
        "comma": listed(["", ""]),
        "next_vote": _("vote {number}: {told}"),
        "step_link": _("Open it: {page}, step {step}"),
        "csv": _("Answers as CSV"),
        "grades": _("Grades as CSV"),
        **students_labels(),
        "print": _("Print"),
        "lost": _("Where you lost them"),
        "nobody_lost": _("Nobody has pressed “You lost me” so far."),
        "refresh": _("Refresh"),
    }
