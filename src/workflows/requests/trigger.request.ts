/**
 * Parses a trigger into the start of a run, as if the endpoint's own SDK had sent it with all its
 * features (workflows.md 1.3). Pure.
 */
import { withDefaultHeaders } from '../../grammar/headers.js';
import { Refusal } from '../../grammar/result.js';
import type { MessageHeaders } from '../../http/dialect.js';
import { OptionReader, type PublishRules } from '../../messaging/publishing/option-reader.js';
import type { PublishRequest } from '../../messaging/publishing/publish.request.js';
import type { PublishTarget } from '../../messaging/publishing/publish-targets.js';
import type { StartRun } from '../run-state/run.commands.js';
import { failureHeaders, readMessage, readWorkflowOptions } from './run-headers.js';
import { deepInvocation, startRun } from './run-start.js';

/** Options that only SDKs send. */
const ofSdks = /^workflow-(invoke|calltype|trigger-by-sdk)$/;

/** The start that one trigger requests; only its route distinguishes it from a publish. */
export function parseTrigger(
  publish: PublishRequest,
  target: PublishTarget,
  said: MessageHeaders,
  rules: PublishRules,
): StartRun | Refusal {
  const reader = new OptionReader(said, rules);
  const options = { ...readWorkflowOptions(reader, true), isTakeover: false };
  reader.refuseOptions(ofSdks, 'means nothing for a trigger');
  if (!options.isInit && said.options.has('workflow-init')) {
    reader.refuse('invalid', 'workflow-init', 'must be true: a trigger starts a run');
  }
  const request = readMessage({ reader, publish, said, options }, target, false, rules);
  if (request instanceof Refusal) return request;
  const refusal = deepInvocation(request);
  if (refusal !== null) return refusal;
  const command = startRun(request, publish.body, {
    answerCheck: 'sdk',
    fetchesLazily: true,
    reportsInitialBody: true,
  });
  return withFailureCall(command, said);
}

/**
 * The SDK also handles failure calls, so they are marked as such and carry the headers of the run.
 */
function withFailureCall(command: StartRun, { dialect }: MessageHeaders): StartRun {
  const { configuration } = command;
  if (configuration.terms.failureCallback === null) return command;
  const { messagePrefix: prefix } = dialect;
  const marks = [
    `${prefix}Workflow-Is-Failure`,
    'true',
    `${prefix}Workflow-Failure-Callback`,
    'true',
  ];
  const own = withDefaultHeaders(
    configuration.failureHeaders,
    failureHeaders(configuration.headers),
  );
  return {
    ...command,
    configuration: { ...configuration, failureHeaders: withDefaultHeaders(marks, own) },
  };
}
