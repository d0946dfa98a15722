import random, time
from tests.verify.logs import *
from tests.services import SimulatedClock
import io
from django.core.management import call_command


def test_soak(clock):
    t = time.time()
    n = 0
    dice = random.Random(time.time())
    while time.time() - t < 150:
        game = dice.choice(["reafan", "probe"])
        m = open_match(game, on_timeout=dice.choice(["auto", "forfeit"]))
        while m.status() == "playing":
            r = dice.random()
            if r < 0.02:
                m.resign(dice.randrange(len(m.players))) if dice.random() < 0.3 else None
            elif r < 0.15:
                m.let_time_pass(clock)
            else:
                m.play(moves=dice.randrange(1, 6), seed=dice.random())
            if dice.random() < 0.1:
                r = Log(m.id).verify()
                assert r.is_proved, dict(r)
        r = Log(m.id).verify(knows_seed=False)
        assert r.is_proved, dict(r)
        n += 1
    out = io.StringIO()
    call_command("verify_streams", stdout=out)
    print(n, out.getvalue())
    import cProfile, pstats

    p = cProfile.Profile()
    p.enable()
    call_command("verify_streams", stdout=out)
    p.disable()
    pstats.Stats(p).sort_stats("tottime").print_stats(25)
