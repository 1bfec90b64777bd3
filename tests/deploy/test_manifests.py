"""Compose, Kubernetes, Caddy and systemd: the files hold together, and what they run and set is what `rove` takes."""

from __future__ import annotations

import configparser
import json
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
import pytest
import yaml

from rove.cli import rove
from rove.settings import Address, read_settings

DEPLOY = Path(__file__).parents[2] / "deploy"
KUBERNETES = DEPLOY / "kubernetes"
COMPOSE = ("compose.yaml", "compose.postgres.yaml")
Tree = dict[str, Any]


def compose(name: str) -> Tree:
    return yaml.safe_load((DEPLOY / name).read_text("utf-8"))


def manifests() -> Iterator[Tree]:
    for file in ("settings.example.yaml", "rove.yaml", "network.yaml", "postgres.yaml"):
        yield from yaml.safe_load_all((KUBERNETES / file).read_text("utf-8"))


def kind(name: str) -> dict[str, Tree]:
    return {one["metadata"]["name"]: one for one in manifests() if one["kind"] == name}


def values_of(command: list[str]) -> Tree:
    """What a call of `rove serve` sets; it fails where `rove` does not take it."""
    assert command[:2] == ["rove", "serve"]
    made = rove.get_command(click.Context(rove), "serve")
    assert made
    return made.make_context("serve", command[2:]).params


@pytest.mark.parametrize("name", COMPOSE)
def test_compose_names_only_what_it_has(name: str) -> None:
    tree = compose(name)
    services, used = tree["services"], set[str]()
    for service in services.values():
        for volume in service.get("volumes", []):
            source, _, target = volume.partition(":")
            if target and source.startswith("."):
                assert (DEPLOY / source).is_file()
            elif target:
                used.add(source)
        assert set(service.get("depends_on", [])) <= set(services)
        if "build" in service:
            assert (DEPLOY / service["build"]["context"] / service["build"]["dockerfile"]).is_file()
    assert used == set(tree["volumes"])


@pytest.mark.parametrize("name", COMPOSE)
def test_containers_reach_rove_by_its_name(name: str) -> None:
    values = values_of(compose(name)["services"]["rove"]["command"])
    assert values["await_key"] and values["host"] == "0.0.0.0"
    assert "rove" in values["host_names"]
    for address in re.findall(r"http://([\w.]+):8017", (DEPLOY / name).read_text("utf-8")):
        assert address in {*values["host_names"], "127.0.0.1"}
    assert set(re.findall(r"dynamic a \{\s+name (\S+)\s+port (\d+)", (DEPLOY / "Caddyfile").read_text("utf-8"))) == {
        ("rove", "8017")
    }


@pytest.mark.parametrize("name", COMPOSE)
def test_the_container_may_do_little(name: str) -> None:
    service = compose(name)["services"]["rove"]
    assert service["read_only"] and service["cap_drop"] == ["ALL"]
    assert "no-new-privileges:true" in service["security_opt"]
    assert all(port.startswith("127.0.0.1:") for port in service.get("ports", []))


def test_the_settings_of_several_servers_are_written_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    services = compose("compose.postgres.yaml")["services"]
    shell, flag, script = services["settings"]["command"]
    file = tmp_path / "rove.toml"
    write = [shell, flag, script.replace(services["rove"]["environment"]["ROVE_KB"], str(file))]
    subprocess.run(write, check=True)
    assert file.stat().st_mode & 0o777 == 0o600
    monkeypatch.setenv("ROVE_SERVE__PROXIES", services["rove"]["environment"]["ROVE_SERVE__PROXIES"])
    settings = read_settings(file)
    assert isinstance(settings.path, Address)
    assert settings.path.base == ("postgresql", "postgres", 5432, "rove", "rove")
    assert len(settings.serve.proxies) == 3
    file.write_text(file.read_text("utf-8") + '[serve]\nhosts = ["kb"]\n', "utf-8")
    subprocess.run(write, check=True)
    assert read_settings(file).serve.hosts == ("kb",)


def test_kubernetes_names_only_what_it_has() -> None:
    secrets = {name: set(one["stringData"]) for name, one in kind("Secret").items()}
    for one in (*kind("Deployment").values(), *kind("StatefulSet").values()):
        template = one["spec"]["template"]
        assert one["spec"]["selector"]["matchLabels"] == template["metadata"]["labels"]
        volumes = {volume["name"]: volume for volume in template["spec"]["volumes"]}
        claimed = {claim["metadata"]["name"] for claim in one["spec"].get("volumeClaimTemplates", [])}
        for volume in volumes.values():
            assert volume.get("secret", {}).get("secretName", "rove-settings") in secrets
        for container in template["spec"]["containers"]:
            assert {mount["name"] for mount in container["volumeMounts"]} == {*volumes, *claimed}
            for variable in container["env"]:
                if reference := variable.get("valueFrom", {}).get("secretKeyRef"):
                    assert reference["key"] in secrets[reference["name"]]
    labels = [one["spec"]["template"]["metadata"]["labels"] for one in manifests() if "template" in one.get("spec", {})]
    for service in kind("Service").values():
        assert service["spec"]["selector"] in labels
    for other in (*kind("NetworkPolicy").values(), *kind("PodDisruptionBudget").values()):
        chosen = other["spec"].get("podSelector") or other["spec"]["selector"]
        assert chosen["matchLabels"] in labels
    listed = yaml.safe_load((KUBERNETES / "kustomization.yaml").read_text("utf-8"))["resources"]
    assert set(listed) == {"settings.yaml", "rove.yaml", "network.yaml", "postgres.yaml"}


def test_pods_are_alive_while_they_wait_and_may_do_little() -> None:
    for one in (*kind("Deployment").values(), *kind("StatefulSet").values()):
        pod = one["spec"]["template"]["spec"]
        assert pod["automountServiceAccountToken"] is False
        assert pod["securityContext"]["runAsNonRoot"]
        (container,) = pod["containers"]
        may = container["securityContext"]
        assert may["readOnlyRootFilesystem"] and not may["allowPrivilegeEscalation"]
        assert may["capabilities"] == {"drop": ["ALL"]}
        assert "tcpSocket" in container["livenessProbe"]
    pod = kind("Deployment")["rove"]["spec"]["template"]["spec"]
    (container,) = pod["containers"]
    ready = container["readinessProbe"]["httpGet"]
    assert {"name": "Host", "value": "localhost"} in ready["httpHeaders"]  # another is refused
    values = values_of(container["command"])
    assert values["await_key"] and "rove" in values["host_names"]
    (seconds,) = container["lifecycle"]["preStop"]["exec"]["command"][1:]
    assert pod["terminationGracePeriodSeconds"] > int(seconds) + read_settings("kb").serve.drain_s


def test_the_example_of_settings_is_one(tmp_path: Path) -> None:
    text = kind("Secret")["rove-settings"]["stringData"]["rove.toml"]
    file = tmp_path / "rove.toml"
    key = text[text.index("# [serve.keys") :].replace("# ", "").replace("sha256:…", f"sha256:{'0' * 64}")
    for written in (text, text + key):
        file.write_text(written, "utf-8")
        settings = read_settings(file)
        assert isinstance(settings.path, Address)
        assert settings.path.base[1] in kind("Service")
    assert settings.serve.keys["NAME"].rights == ("read", "add")


def test_the_unit_is_one(tmp_path: Path) -> None:
    text = (DEPLOY / "rove.service").read_text("utf-8")
    unit = configparser.RawConfigParser(strict=False)
    unit.optionxform = str  # pyright: ignore[reportAttributeAccessIssue] - as its documentation has it
    unit.read_string(text)
    command = shlex.split(unit["Service"]["ExecStart"])
    values_of(["rove", *command[1:]])
    if shutil.which("systemd-analyze"):
        (tmp_path / "rove.service").write_text(text.replace(command[0], "/bin/true"), "utf-8")
        verify = ["systemd-analyze", "verify", str(tmp_path / "rove.service")]
        done = subprocess.run(verify, capture_output=True, text=True, check=False)
        assert (done.returncode, [line for line in done.stderr.splitlines() if "rove.service" in line]) == (0, [])


@pytest.mark.servers
def test_tools_that_know_these_files_find_nothing(tmp_path: Path) -> None:
    """hadolint, Caddy itself, and the schemas of Kubernetes: requirements/servers.txt has them."""
    programs = Path(sys.executable).parent
    subprocess.run([programs / "hadolint", DEPLOY / "Dockerfile"], check=True)
    caddyfile = ["validate", "--adapter", "caddyfile", "--config", DEPLOY / "Caddyfile"]
    subprocess.run([programs / "caddy", *caddyfile], check=True, capture_output=True)
    whole = tmp_path / "all.json"
    for one in manifests():
        whole.write_text(json.dumps(one), "utf-8")
        subprocess.run([programs / "kubernetes-validate", "--strict", whole], check=True, capture_output=True)
