/** A run as its row of the listing tells it (workflows.md 5.1), in the words of this program. */
import type { ApiObject } from '../connect/api-client.js';
import { textOf } from '../output/columns.js';

/** One step; times in Unix milliseconds. */
export interface Step {
  readonly name: string;
  /** `Run`, `SleepFor`, `Call`, `Wait` ...; `next` for a delivery that has not succeeded yet. */
  readonly type: string;
  readonly state: string;
  readonly startedAt: number;
  /** Null while it is open. */
  readonly endedAt: number | null;
  readonly isParallel: boolean;
  /** Failed attempts. */
  readonly errors: number;
}

export interface Run {
  readonly id: string;
  readonly url: string;
  readonly state: string;
  readonly startedAt: number;
  readonly endedAt: number | null;
  readonly steps: readonly Step[];
}

interface StepGroup {
  readonly type: 'sequential' | 'parallel' | 'next';
  readonly steps: readonly ApiObject[];
}

/** Reads a row. A step ends when the next group begins, unless it says when itself. */
export function runOf(row: ApiObject): Run {
  const startedAt = Number(row['workflowRunCreatedAt']);
  const endedAt = row['workflowRunCompletedAt'] as number | undefined;
  const groups = (row['steps'] ?? []) as readonly StepGroup[];
  const steps: Step[] = [];
  let from = startedAt;
  for (const { type, steps: members } of groups) {
    let last = from;
    for (const member of members) {
      const createdAt = Number(member['createdAt'] ?? from);
      last = Math.max(last, createdAt);
      steps.push({
        name: textOf(member, 'stepName') || (type === 'next' ? 'next step' : 'step'),
        type: type === 'next' ? 'next' : textOf(member, 'stepType'),
        state: textOf(member, 'state'),
        startedAt: from,
        endedAt: endOf(member, type, createdAt, endedAt ?? null),
        isParallel: type === 'parallel',
        errors: Array.isArray(member['errors']) ? member['errors'].length : 0,
      });
    }
    from = last;
  }
  return {
    id: textOf(row, 'workflowRunId'),
    url: textOf(row, 'workflowUrl'),
    state: textOf(row, 'state') || textOf(row, 'workflowState'),
    startedAt,
    endedAt: endedAt ?? null,
    steps,
  };
}

function endOf(
  member: ApiObject,
  group: StepGroup['type'],
  createdAt: number,
  runEndedAt: number | null,
): number | null {
  if (group === 'next' || member['state'] === 'STEP_PROGRESS') return runEndedAt;
  return createdAt;
}
