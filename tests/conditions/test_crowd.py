"""Many at once: on a machine without state, for one file, and far more hooks than the machine can run."""

from harness import torture
from hooks.agent import Running
from hooks.reply import Reply
from hooks.world import World

from conditions import survival
from conditions.conftest import Tally

PATIENCE = 600  # seconds for the whole crowd; each hook has its own deadline


def replies(running: list[Running]) -> list[Reply]:
    """What all of them answered, however long the machine took to start them."""
    for one in running:
        one.ended.result(timeout=PATIENCE)
    return [one.reply() for one in running]


def out_of_time(reply: Reply) -> bool:
    """Did the machine not get round to it? Said in words, never a hang."""
    return "too long" in reply.stderr or "locked" in reply.stderr or "nothing arrived" in reply.stderr


def test_agents_register_at_once_on_a_machine_without_state(world: World, tally: Tally) -> None:
    number = torture.count(16, 200)
    agents = [world.agent(f"sess-{n}") for n in range(number)]
    answers = replies([agent.begin("SessionStart") for agent in agents])
    late = [f"sess-{n}" for n, reply in enumerate(answers) if out_of_time(reply)]
    assert set(world.live()) | set(late) == {agent.session_id for agent in agents}
    assert all(reply.silent or reply.context or out_of_time(reply) for reply in answers)
    for agent in agents:  # whoever came too late is registered by its next event
        assert not agent.stop().stdout
    assert world.live() == sorted(agent.session_id for agent in agents)
    assert not survival.litter(world)
    survival.goes_on(world, agents[0], agents[-1])
    tally(f"{number} agents register at once on a machine without state", number)


def test_a_fork_bomb_of_hooks(world: World, tally: Tally) -> None:
    """All for one file. Each ends by itself, one gets it at most, and everybody else is told why not."""
    number, workers = torture.count(40, 500), 10
    agents = [world.agent(f"sess-{n}") for n in range(workers)]
    running = [agents[n % workers].begin_write(world.repo / "src/a.py") for n in range(number)]
    answers = replies(running)
    holders = {n % workers for n, reply in enumerate(answers) if not reply.denied}
    assert len(holders) <= 1
    assert len(set(world.leases().values())) == len(holders)
    for reply in answers:
        assert not reply.denied or reply.denied.startswith(("Not an error", "Not written"))
        assert reply.denied.startswith("Not written") is out_of_time(reply), reply
    survival.goes_on(world, agents[1], agents[2])
    tally(f"{number} hooks at once for one file", number)


def test_a_fork_bomb_of_every_kind(world: World, tally: Tally) -> None:
    """Prompts, calls, stops and messages of many, with the ledger behind: nothing is half done, nothing lost."""
    a, b = world.pair()
    rounds = torture.count(3, 30)
    for number in range(rounds):
        world.send("sess-B", "sess-A", f"word {number}")
    running: list[Running] = []
    for number in range(rounds):
        for agent in (a, b):
            running += [
                agent.begin("UserPromptSubmit", prompt=f"Do {number}", prompt_id=f"p-{number}"),
                agent.begin_write(world.repo / f"src/{number}.py"),
                agent.begin("PostToolUse", tool_use_id=f"call-{number}"),
                agent.begin("Stop", background_tasks=[]),
            ]
    answers = replies(running)
    assert all(reply.silent or reply.stdout or out_of_time(reply) for reply in answers)
    world.pass_time(11)
    last = a.hook("PostToolUse", tool_use_id="call-last").context
    shown = last + "".join(reply.context + reply.held for reply in answers)
    assert all(f"word {number}" in shown for number in range(rounds))
    survival.whole(world)
    survival.works_as_ever(world, a, b)
    tally("hooks of every kind at once", len(running))


def test_agents_of_one_process(world: World, tally: Tally) -> None:
    """One harness that calls all its tools at once holds what it got, file by file."""
    agent = world.agent()
    number = torture.count(12, 100)
    answers = replies([agent.begin_write(world.repo / f"src/{n}.py") for n in range(number)])
    held = world.leases()
    for n, reply in enumerate(answers):
        assert (not reply.denied) is (f"src/{n}.py" in held) or out_of_time(reply)
    survival.whole(world)
    tally("one agent's calls at once", number)
