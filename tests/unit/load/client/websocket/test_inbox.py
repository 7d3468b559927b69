"""What nobody takes makes room, and what is looked for never does."""

from benchsuite.load.client.websocket.records import Message
from benchsuite.load.client.websocket.transport import MOST_WAITING, Inbox


def message(number: int, size: int = 0) -> Message:
    return Message(f"{number}".encode().ljust(size), is_text=True, moment=float(number))


def test_the_oldest_make_room() -> None:
    gone: list[Message] = []
    inbox = Inbox(gone.append)
    for number in range(MOST_WAITING + 3):
        inbox.add(message(number))
    assert [one.data for one in gone] == [b"0", b"1", b"2"]
    assert inbox.take().data == b"3"
    assert len(inbox) == MOST_WAITING - 1


def test_what_is_long_makes_room_but_for_the_last() -> None:
    gone: list[Message] = []
    inbox = Inbox(gone.append)
    for number in range(3):
        inbox.add(message(number, size=15 * 2**20))
    assert len(gone) == 2
    assert inbox.take().data.strip() == b"2"


def test_what_is_about_to_be_looked_at_stays() -> None:
    gone: list[Message] = []
    inbox = Inbox(gone.append)
    inbox.held = True
    for number in range(3 * MOST_WAITING):
        inbox.add(message(number))
    assert gone == []
    found = inbox.find(lambda one: one.data == b"5")
    assert found is not None
    assert found.data == b"5"
    assert inbox.find(lambda one: False) is None
    assert len(gone) == 2 * MOST_WAITING - 1
    assert len(inbox) == MOST_WAITING


def test_what_came_before_is_no_answer_and_stays_where_it_is() -> None:
    inbox = Inbox(lambda one: None)
    for number in range(4):
        inbox.add(message(number))
    found = inbox.find(lambda one: True, since=1.5)
    assert found is not None
    assert found.data == b"2"
    assert inbox.take().data == b"0"
    assert inbox.find(lambda one: True) is not None
    assert len(inbox) == 1
