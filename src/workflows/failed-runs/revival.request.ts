/** Parses the options that a resume or restart changes of a failed run (workflows.md 6.2). Pure. */
import { type FlowControlValue, parseFlowControlValue } from '../../grammar/flow-control-value.js';
import type { Result } from '../../grammar/result.js';
import type { MessageHeaders } from '../../http/dialect.js';
import {
  parsedOptions,
  type RetryOverrides,
  readChanges,
} from '../../messaging/dead-letters/retry.request.js';
import { OptionReader, type PublishRules } from '../../messaging/publishing/option-reader.js';
import { parseNewRunId } from '../requests/run-headers.js';

/** The options of a resume or a restart. */
export interface RevivalOverrides extends RetryOverrides {
  /** Key and value of the flow control; null = the failed run's key or value. */
  readonly flowControl: {
    readonly key: string | null;
    readonly value: FlowControlValue | null;
  };
  /** The id of the new run; null = it gets a generated id. */
  readonly runId: string | null;
  /** Called when the new run fails, instead of the URL that the failed run named. */
  readonly failureCallback: string | null;
}

/** Injection token of the rules by which options are read. */
export const revivalRules = Symbol('revivalRules');

const unchangeable = 'cannot be changed of a run that failed';
/** Any other option is refused, because ignoring it silently would mislead the client. */
const known =
  'retries|retry-delay|timeout|delay|not-before|label|flow-control-key|flow-control-value' +
  '|failure-callback';
const others = new RegExp(`^(?!(${known})$)`);
const othersOfOne = new RegExp(`^(?!(${known}|workflow-runid)$)`);

/**
 * Reads the options of a resume or restart at `at` (Unix milliseconds). Only a request about one
 * run may set the id of the new run.
 */
export function readRevival(
  headers: MessageHeaders,
  rules: PublishRules,
  at: number,
  isAboutOne: boolean,
): Result<RevivalOverrides> {
  const reader = new OptionReader(headers, rules);
  const overrides: RevivalOverrides = {
    ...readChanges(reader, headers, rules, at),
    flowControl: {
      key: reader.name('flow-control-key'),
      value: reader.read('flow-control-value', null, parseFlowControlValue),
    },
    runId: isAboutOne ? reader.read('workflow-runid', null, parseNewRunId) : null,
    failureCallback: reader.url('failure-callback'),
  };
  reader.refuseOptions(isAboutOne ? othersOfOne : others, unchangeable);
  return parsedOptions(reader, headers, overrides, unchangeable);
}
