"""The files of a base in an object store that speaks S3, an object each."""

from __future__ import annotations

from collections.abc import Collection, Generator, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from urllib.parse import parse_qsl, urlsplit

from pyarrow import ArrowException
from pyarrow import fs as filesystems

from rove.errors import ConfigError, ServiceError
from rove.store.copied_files import CopiedFiles
from rove.store.files import PIECE_BYTES, digest_of

CONNECT_S, ANSWER_S = 10.0, 60.0
OPTIONS = ("endpoint", "region")
CURE = 'Write it like "s3://bucket/prefix?region=eu-central-1", or with ?endpoint=https://host:port for another store.'


class ObjectFiles(CopiedFiles):
    """See `Files`. Objects are called `prefix/base/name`: several bases can share a bucket and a prefix.

    Who may ask is said by the environment, as S3's clients know it: AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY,
    AWS_PROFILE, a machine's role.
    """

    def __init__(self, address: str, base: str, folder: Path) -> None:
        """Take where the bucket is, what this base is called in it, and the folder of this machine's copies.

        Raises:
            ConfigError: the address is none, or holds a secret.
        """
        parts = urlsplit(address)
        options = dict(parse_qsl(parts.query))
        if parts.scheme != "s3" or not parts.netloc or set(options) - set(OPTIONS):
            message = f"store.files is not an address of a bucket: {address.partition('@')[2] or address!r}."
            raise ConfigError(message, cure=CURE)
        if "@" in parts.netloc:
            message = "store.files must not hold a key: it would stand in the base."
            raise ConfigError(message, cure="Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY in the environment.")
        self._bucket = parts.netloc
        self._prefix = "/".join(filter(None, (parts.netloc, parts.path.strip("/"), base)))
        endpoint = urlsplit(options.get("endpoint", ""))
        self._store = filesystems.S3FileSystem(
            region=options.get("region") or ("us-east-1" if endpoint.netloc else None),
            scheme="http" if endpoint.scheme == "http" else "https",
            endpoint_override=endpoint.netloc or None,
            connect_timeout=CONNECT_S,
            request_timeout=ANSWER_S,
        )
        super().__init__(folder)

    def sizes(self) -> Mapping[str, int]:
        """List the base's objects."""
        with self._saying("listed"):
            found = self._store.get_file_info(filesystems.FileSelector(self._prefix, allow_not_found=True))
        return {info.base_name: int(info.size or 0) for info in found if info.is_file}

    def keep(self, file: Path, name: str) -> bool:
        """Copy a file, read twice: it must not change meanwhile."""
        with file.open("rb") as source:
            if digest_of(source) != name:
                return False
            source.seek(0)
            try:
                with self._saying("written"), self._store.open_output_stream(self._path(name)) as target:
                    whole = digest_of(source, target) == name  # pyright: ignore[reportArgumentType] - it has `write`
            except BaseException:
                with suppress(ServiceError):  # what came of it; else a sweep finds it
                    self.remove([name])
                raise
        if not whole:
            self.remove([name])
        return whole

    def remove(self, names: Collection[str]) -> None:
        """Delete the objects, and this machine's copies."""
        for name in names:
            with self._saying("deleted"), suppress(FileNotFoundError):
                self._store.delete_file(self._path(name))
        self._forget(names)

    def _kept(self, names: Collection[str]) -> Collection[str]:
        with self._saying("looked for"):
            found = self._store.get_file_info([self._path(name) for name in names])
        return {info.base_name for info in found if info.is_file}

    def _read(self, name: str) -> Iterator[bytes]:
        with self._saying("read"), self._store.open_input_stream(self._path(name)) as source:
            while piece := source.read(PIECE_BYTES):
                yield piece

    def _path(self, name: str) -> str:
        return f"{self._prefix}/{name}"

    @contextmanager
    def _saying(self, done: str) -> Generator[None]:
        """Say what the store answers as an error of Rove; that an object is not there is the caller's to know."""
        try:
            yield
        except FileNotFoundError:
            raise
        except (OSError, ArrowException) as error:
            first = str(error).partition("\n")[0].rstrip(".")
            message = f"Files in the bucket {self._bucket} could not be {done}: {first}."
            cure = "See that the bucket is there, that store.files names it, and that the environment has its keys."
            raise ServiceError(message, cure=cure) from error
