"""The switch to another embedder: from one moment on all is shallow, and the embedder before is the stand-in.

So both are searched, see `rove.store.shallow`, until the new one has reached everything. Vectors that hang on no chunk,
of memories and summaries, are replaced in the same transaction.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sqlalchemy import delete, not_, select

from rove.errors import ConfigError
from rove.store import Vector, tables
from rove.store.database import EMBEDDER, Database, get_fact, insert_rows, next_revision, set_fact
from rove.store.failpoints import failpoint
from rove.store.home import Home
from rove.store.index_facts import OUTDATED, WRITTEN_TO
from rove.store.own_vectors import OwnText, forget_unasked, own_vectors, replace_vectors
from rove.store.shallow import STAND_IN, StandInNote, note_stand_in, noted_stand_in
from rove.store.unfinished import FORGOTTEN

READ_BY = "read-by"
"""The fact that is the fingerprint by which sources are known as unchanged: of the embedder that the base had first."""
_D, _S = tables.documents.c, tables.shallow.c


class Switching:
    """The part of the catalog that knows which embedder the base has. Calls block."""

    database: Database

    def check_model(self, home: Home, model: str) -> None:
        """See that the base that lives there has this embedder; a new base notes it.

        Raises:
            ConfigError: it has another one.
        """
        with self.database.read() as connection:
            known, note = get_fact(connection, EMBEDDER), noted_stand_in(connection)
        if not known:
            with self.database.write() as connection:
                set_fact(connection, EMBEDDER, model)
        elif known != model:
            self.database.close()
            if note and note.previous and note.model == model:
                message = f"{home} is being moved from the embedder [{model}] to [{known}]."
                cure = (
                    "Name that one under [embedder], and this one under [embedder.previous]; or go back: rove migrate"
                )
            else:
                message = f"{home} was made with the embedder [{known}]; this one is [{model}]."
                cure = "Open it with the embedder that made it; or move it to this one: rove migrate"
            raise ConfigError(message, cure=cure)
        self.database.opened_with(model, str(home))

    def switch(self, before: StandInNote, after: StandInNote, vectors: Mapping[OwnText, Vector]) -> Sequence[OwnText]:
        """Let the base have the embedder `after`; returns texts whose vectors are missing: then nothing is done.

        What it has reached already, as the stand-in of a base or before it was itself replaced, is deep. The caller
        holds the base for writing, and opens it anew.

        Raises:
            ConfigError: documents have the vectors of a third embedder.
        """
        with self.database.write() as connection:
            note = noted_stand_in(connection)
            known = set(connection.execute(select(_S.document).where(not_(_S.deepened))).scalars())
            if known and (note is None or note.model != after.model):
                message = f"[{before.model}] has yet to reach {len(known)} documents itself."
                raise ConfigError(message, cure="Let it: rove add --resume; then run the same again.")
            own = own_vectors(connection)
            if missing := {one.text for one in own}.difference(vectors):
                return sorted(missing)
            every = connection.execute(select(_D.seq)).scalars()
            shallow = [seq for seq in every if seq not in known]
            replace_vectors(connection, own, vectors)
            forget_unasked(connection)
            connection.execute(delete(tables.shallow))
            connection.execute(delete(tables.facts).where(tables.facts.c.name == STAND_IN))
            insert_rows(connection, tables.shallow, [(seq, 0, False) for seq in shallow])
            if shallow:
                note_stand_in(connection, before)
            v, c = tables.vectors.c, tables.chunks.c
            connection.execute(delete(tables.vectors).where(~select(c.seq).where(c.vector == v.seq).exists()))
            set_fact(connection, READ_BY, get_fact(connection, READ_BY) or before.model)
            set_fact(connection, EMBEDDER, after.model)
            set_fact(connection, WRITTEN_TO, OUTDATED)
            set_fact(connection, FORGOTTEN, str(next_revision(connection)))
            failpoint("switching")
        failpoint("switched")
        return ()

    def end_switch(self) -> bool:
        """Forget the embedder before, once nothing has its vectors any more, and give back their space.

        False where there is nothing to forget, or not yet.
        """
        with self.database.read() as connection:
            note = noted_stand_in(connection)
        if note is None or not note.previous:
            return False
        with self.database.write() as connection:
            if connection.execute(select(_S.document).where(not_(_S.deepened)).limit(1)).first():
                return False
            connection.execute(delete(tables.facts).where(tables.facts.c.name == STAND_IN))
        failpoint("whole")
        self.database.shrink()
        return True
