# writes tests/golden/store-0001.db
import sys, pathlib, sqlite3
from datetime import datetime, timedelta, UTC
from spnb import clock
from spnb.campaign import Campaign
from spnb.store import Store
path=pathlib.Path(sys.argv[1]); path.unlink(missing_ok=True)
t=[datetime(2026,11,1,8,tzinfo=UTC)]
clock.now=lambda: t[0]
with Store(f"sqlite:///{path}") as s:
    c=Campaign.create(s,"water",arms=["06:00","12:00","18:00"],agent="Challenge",seed=5,reward="above 0.3",lost_after="2d")
    for r in range(1,8):
        for k,a in enumerate(("06:00","12:00","18:00")):
            t[0]+=timedelta(hours=6)
            d=c.ask(a,at=r)
            if d.pull and (r+k)%4: c.tell(d,value=0.1*k+0.05*r)
    c.correct(4,value=0.9) if False else None
    first=next(e for e in c.events() if e.kind=="tell" and e.reward==1)
    c.correct(first.decision,value=0.0); c.ask("06:00",at=8)
    c.retire_arm("12:00"); c.add_arm("21:00"); c.ask("18:00",at=9)
    p=Campaign.create(s,"pages",arms=["red","green"],agent="Seq(TS)",seed=6,rounds=1000,goal="best")
    for r in range(1,6):
        for a in ("red","green"):
            d=p.ask(a,at=r)
            if d.pull and r<5: p.tell(d,reward=1/3)
    p.pause(); p.resume()
    print(c.verify(),p.verify(), [e.kind for e in c.events()])
con=sqlite3.connect(path); con.execute("pragma journal_mode=delete"); con.execute("vacuum"); con.close()
print(path.stat().st_size)
