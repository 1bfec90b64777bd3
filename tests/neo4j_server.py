"""Neo4j's own server, community edition, as a process of its own, from Maven's artifacts. It ends with the tests."""

from __future__ import annotations

import subprocess
from dataclasses import dataclass, field
from functools import cache

from neo4j import Driver, GraphDatabase
from neo4j.exceptions import Neo4jError, ServiceUnavailable, SessionExpired
from pydantic import SecretStr

import certificates
import maven
import own_server
from own_server import OwnServer, free_port
from rove.settings import GraphSettings

VERSION = "5.26.0"
"""The last line that runs on Java 17."""
PARTS = (("org.neo4j.app", "neo4j-server", VERSION, "jar"), ("org.neo4j", "neo4j", VERSION, "jar"))
PASSWORD = "rove-test-secret"
SETTINGS = """
server.default_listen_address=127.0.0.1
server.bolt.enabled=true
server.bolt.listen_address=127.0.0.1:{port}
server.bolt.tls_level=OPTIONAL
server.bolt.connection_keep_alive=5s
dbms.ssl.policy.bolt.enabled=true
dbms.ssl.policy.bolt.base_directory={folder}
dbms.ssl.policy.bolt.private_key=server.key
dbms.ssl.policy.bolt.public_certificate=server.pem
dbms.ssl.policy.bolt.client_auth=NONE
server.http.enabled=false
server.https.enabled=false
server.memory.pagecache.size=128m
dbms.usage_report.enabled=false
server.directories.data={folder}/data
server.directories.logs={folder}/logs
"""
"""TLS for who asks for it. A client is told to give up after two times 5 s without a word."""
OPENS = (
    "java.base/java.nio", "java.base/java.io", "java.base/sun.nio.ch", "java.base/java.util.concurrent",
    "java.base/java.lang", "java.base/java.lang.reflect",
)  # fmt: skip
START_S = 120


@dataclass
class Server(OwnServer):
    """See `OwnServer`."""

    port: int = field(default_factory=free_port)

    def __post_init__(self) -> None:
        self.certificate, _ = certificates.make(self.folder)

    def start(self) -> None:
        """Start it, and wait until it answers."""
        home = maven.home(f"neo4j-{VERSION}", PARTS)
        (self.folder / "neo4j.conf").write_text(SETTINGS.format(port=self.port, folder=self.folder), "utf-8")
        self.process = maven.run(
            self.folder,
            [
                "-Xms512m", "-Xmx512m", *(f"--add-opens={one}=ALL-UNNAMED" for one in OPENS),
                f"-Djava.io.tmpdir={self.folder}", "-cp", f"{home / 'lib'}/*", "org.neo4j.server.CommunityEntryPoint",
                f"--home-dir={self.folder}", f"--config-dir={self.folder}",
            ],
            {},
        )  # fmt: skip
        self.wait_until(self._answers, START_S)

    def _answers(self) -> bool:
        """Whether it does; a new one is given its password."""
        try:
            with self.driver() as driver, driver.session() as session:
                session.run("RETURN 1").consume()
                return True
        except (ServiceUnavailable, SessionExpired):
            return False
        except Neo4jError as error:
            if "Unauthorized" not in (error.code or ""):
                return False
        with self.driver("neo4j") as driver, driver.session(database="system") as session:
            session.run("ALTER CURRENT USER SET PASSWORD FROM 'neo4j' TO $new", new=PASSWORD).consume()
        return False

    def driver(self, password: str = PASSWORD) -> Driver:
        """Be somebody else on the server, who may do everything."""
        return GraphDatabase.driver(f"bolt://localhost:{self.port}", auth=("neo4j", password))

    def kill(self, process: subprocess.Popen[bytes]) -> None:
        """See `OwnServer.kill`."""
        maven.kill(process)

    def settings(self, **other: object) -> GraphSettings:
        """The settings `store.graph` that reach it."""
        own = {"store": "bolt", "url": f"bolt://localhost:{self.port}", "user": "neo4j"}
        return GraphSettings.model_validate({**own, "password": SecretStr(PASSWORD), "database": "neo4j", **other})


def new() -> Server:
    """Start one, which ends with the tests."""
    return own_server.started(Server(own_server.folder("neo4j")))


@cache
def server() -> Server:
    """The one that runs until the tests end."""
    return new()
