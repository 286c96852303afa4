/** What the headers of a request say of a workflow run (workflows.md 1.2 and 1.4). Pure. */

import { ok, type Result, refused } from '../../grammar/result.js';
import { parseRunId } from '../../grammar/run-id.js';
import type { OptionReader } from '../../messaging/publishing/option-reader.js';

/** The options of a run, beside those of its messages. */
export interface WorkflowOptions {
  /** null = it wants a new one. */
  readonly runId: string | null;
  /** It starts a run instead of adding to one. */
  readonly isInit: boolean;
  /** The body is an invocation: another run waits for the end of the one that it starts. */
  readonly isInvoke: boolean;
  /** The endpoint itself gives the options of a run that another client started. */
  readonly isTakeover: boolean;
  /** The endpoint shall take the run over (workflows.md 1.3). */
  readonly isUnknownSdk: boolean;
  /** A call goes to a third party and its answer back to the endpoint. */
  readonly callType: 'step' | 'toCallback';
  /** What the endpoint's SDK can do. */
  readonly features: ReadonlySet<string>;
}

const noFeatures: ReadonlySet<string> = new Set();
const unknownOption =
  /^workflow-(?!(runid|init|invoke|trigger-by-sdk|unknown-sdk|calltype|url|sdk-version)$)/;

/** Reads them; what is wrong with one, `reader` remembers. */
export function readWorkflowOptions(reader: OptionReader): WorkflowOptions {
  const options: WorkflowOptions = {
    runId: reader.read('workflow-runid', null, parseRunId),
    isInit: reader.flag('workflow-init'),
    isInvoke: reader.flag('workflow-invoke'),
    isTakeover: reader.flag('workflow-trigger-by-sdk'),
    isUnknownSdk: reader.flag('workflow-unknown-sdk'),
    callType: reader.read('workflow-calltype', 'step', parseCallType),
    features: reader.read('feature-set', noFeatures, parseFeatures),
  };
  // The destination is where a run is called; what this says must be an address all the same.
  reader.url('workflow-url');
  reader.read('workflow-sdk-version', null, parseVersion);
  reader.refuseOptions(unknownOption, 'is no option of a workflow run');
  return options;
}

function parseCallType(text: string): Result<WorkflowOptions['callType']> {
  return text === 'step' || text === 'toCallback'
    ? ok(text)
    : refused('must be step or toCallback: the server itself sends everything else');
}

/** An SDK says the same in every request. */
let latestFeatures = { text: '', features: noFeatures };

/** Features that the server does not know are accepted and mean nothing to it. */
function parseFeatures(text: string): Result<ReadonlySet<string>> {
  if (latestFeatures.text !== text) {
    latestFeatures = { text, features: new Set(text.split(',').map((name) => name.trim())) };
  }
  return ok(latestFeatures.features);
}

/** There has been one version of the protocol. */
function parseVersion(text: string): Result<string> {
  return text === '1' ? ok(text) : refused('must be 1');
}
