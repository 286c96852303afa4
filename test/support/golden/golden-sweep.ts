/** Sweeps the journal of a server of a test of all that is not needed, whatever retention says. */
import { Engine } from '../../../src/engine/engine.js';
import { Crossings } from '../../../src/engine/history/crossings.js';
import type { SweepOutcome } from '../../../src/engine/history/journal-sweep.events.js';
import { JournalSweeper } from '../../../src/engine/history/journal-sweeper.js';
import { JournalSweeps } from '../../../src/engine/history/journal-sweeps.js';
import { Journal, journalLogName } from '../../../src/engine/journal.js';
import { Store } from '../../../storage/store.js';
import type { TestServer } from '../server.js';

/** Of a journal to which nothing is appended: nothing above its end crosses it. */
class AtTheEnd extends Crossings {
  override edgeAt(offset: number): number {
    return offset;
  }
}

/** Sweeps up to the end of the journal. `at` is when retention is over. */
export async function sweepAll(server: TestServer, at: number): Promise<SweepOutcome | null> {
  const { nest } = server.application;
  const engine = nest.get(Engine);
  await engine.durable();
  await nest.get(Store).log(journalLogName)?.roll();
  const sweeps = nest.get(JournalSweeps, { strict: false });
  const crossings = new AtTheEnd(1);
  const rules = { bytesMin: 0, archiveFolder: null };
  const sweeper = new JournalSweeper(engine, nest.get(Journal), crossings, sweeps, rules);
  return sweeper.sweep(Number.MAX_SAFE_INTEGER, at);
}
