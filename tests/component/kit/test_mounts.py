import subprocess
from pathlib import Path
from random import Random

import pytest

from tests.kit.mounts import BOOT_ID, new_boot_id, with_boot_id

pytestmark = pytest.mark.needs("root")


def test_a_command_sees_the_new_boot_id_and_the_machine_keeps_its_own(tmp_path: Path) -> None:
    before = BOOT_ID.read_text(encoding="ascii")
    boot_id = new_boot_id(tmp_path, rng=Random(1))
    seen = subprocess.run(
        with_boot_id(["cat", str(BOOT_ID)], boot_id=boot_id), stdout=subprocess.PIPE, text=True, check=True
    ).stdout
    assert seen == boot_id.read_text(encoding="ascii")
    assert seen != before == BOOT_ID.read_text(encoding="ascii")


def test_the_command_keeps_the_process_id_and_the_exit_status(tmp_path: Path) -> None:
    command = with_boot_id(["sh", "-c", "echo $$; exit 3"], boot_id=new_boot_id(tmp_path, rng=Random(1)))
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert int(process.stdout.read()) == process.pid
        assert process.wait() == 3
