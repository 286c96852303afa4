/** Formats the answer to "why does it wait" (messaging.md 2.5, workflows.md 4.5) for people. */

import type { ApiObject } from '../connect/api-client.js';
import { itemsIn } from '../connect/api-object.js';
import { textOf } from './columns.js';
import { remedyLine } from './remedy-line.js';
import type { Paint } from './style.js';
import { exactTime, relativeTime } from './time-words.js';

/** The sentence and its remedy, and the same for each open step of a run. */
export function whyLines(reason: ApiObject, now: number, paint: Paint): string[] {
  const { sentence, remedy, until } = reason;
  const lines = [paint('bold', textOf(reason, 'sentence'))];
  if (typeof until === 'number') {
    lines.push(paint('dim', `until ${exactTime(until)} (${relativeTime(until, now)})`));
  }
  if (typeof remedy === 'string') lines.push(remedyLine(remedy));
  for (const wait of itemsIn(reason, 'waits')) {
    // If a run waits for one thing only, its own sentence already says so.
    if (wait['sentence'] === sentence) continue;
    const step = wait['stepName'] === undefined ? '' : `${textOf(wait, 'stepName')}: `;
    lines.push(`  ${paint('dim', '·')} ${step}${textOf(wait, 'sentence')}`);
  }
  return lines;
}
