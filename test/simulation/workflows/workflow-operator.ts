/** An operator who hears of failed runs, and brings them to life again. */
import type { RevivalOverrides } from '../../../src/workflows/failed-runs/revival.request.js';
import type { RevivalKind } from '../../../src/workflows/failed-runs/run-revivals.js';
import type { SeededRandom } from '../seeded-random.js';
import type { WorkflowWorld } from './workflow-world.js';

/** A run that failed, as its failure callback reported. */
export interface FailedRunLetter {
  readonly runId: string;
  readonly dlqId: string;
}

/** A failed run that was to go on, or to begin again, as another one. */
export interface RequestedRevival {
  readonly letter: FailedRunLetter;
  readonly kind: RevivalKind;
  readonly runId: string;
  /** What the server has answered; null = nothing yet. */
  isAccepted: boolean | null;
}

export class WorkflowOperator {
  /** Letters stay here when they have been taken: operators do not know of each other. */
  readonly letters: FailedRunLetter[] = [];
  readonly revivals: RequestedRevival[] = [];

  constructor(
    private readonly random: SeededRandom,
    private readonly world: WorkflowWorld,
  ) {}

  /** Takes one of the latest letters; now and then two operators do at once. */
  revive(): void {
    const { random } = this;
    const letter = random.pick(this.letters.slice(-3));
    const times = random.chance(0.3) ? 2 : 1;
    for (let time = 0; time < times; time += 1) {
      void this.take(letter, random.chance(0.75) ? 'resume' : 'restart');
    }
  }

  private async take(letter: FailedRunLetter, kind: RevivalKind): Promise<void> {
    const { simulation } = this.world;
    if (this.world.isDark()) return;
    const runId = this.world.beginAs(letter.runId);
    const revival: RequestedRevival = { letter, kind, runId, isAccepted: null };
    this.revivals.push(revival);
    const asked = { kind, overrides: as(runId) };
    const answer = simulation.server.revivals.reviveOne(letter.dlqId, asked, null);
    revival.isAccepted = (await simulation.heard(answer)).ok;
  }
}

function as(runId: string): RevivalOverrides {
  const flowControl = { key: null, value: null };
  return { runId, failureCallback: null, flowControl, delayMs: 0, notBefore: null, message: {} };
}
