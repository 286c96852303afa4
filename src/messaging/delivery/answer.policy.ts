/** Whether a 2xx answer counts: the endpoint of a workflow must identify itself as one. Pure. */
import type { RunPlace } from '../messages/message.events.js';

const notAWorkflow =
  'detected a non-workflow destination for trigger/invoke. ' +
  'make sure you are sending the request to the correct endpoint';
const tooOld = 'trigger rest api is only usable with sdk versions after v1.0.0 major version';

/**
 * Why a 2xx answer with these headers (names and values in turn) does not count; null = it does
 * (workflows.md 2.2). Only steps are checked, and only of runs whose starter requested the check.
 */
export function answerDefect(
  run: RunPlace | null,
  headers: readonly string[],
  prefixes: readonly string[],
): string | null {
  if (run === null || run.role !== 'step' || run.answerCheck === 'none') return null;
  if (!hasHeader(headers, prefixes, 'workflow-sdk-version', () => true)) return notAWorkflow;
  if (run.answerCheck === 'protocol') return null;
  return hasHeader(headers, prefixes, 'workflow-sdk', isCurrent) ? null : tooOld;
}

/** `v1.3.2`, `@upstash/workflow@v1.3.2`: a version of major 1 or later. */
function isCurrent(text: string): boolean {
  const major = /(?:^|@)v?(\d+)\./.exec(text)?.[1];
  return major !== undefined && Number(major) >= 1;
}

/** `prefixes` are the dialects' message prefixes in lower case. */
function hasHeader(
  headers: readonly string[],
  prefixes: readonly string[],
  option: string,
  isSelected: (value: string) => boolean,
): boolean {
  for (const prefix of prefixes) {
    const length = prefix.length + option.length;
    for (let index = 0; index + 1 < headers.length; index += 2) {
      const name = headers[index] ?? '';
      // Most names differ in length already, so the cheap comparison comes first.
      if (name.length !== length || name.toLowerCase() !== `${prefix}${option}`) continue;
      if (isSelected(headers[index + 1] ?? '')) return true;
    }
  }
  return false;
}
