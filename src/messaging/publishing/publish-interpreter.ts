/** Publishes that are more than a message: a feature above says which, and what they mean. */
import type { Refusal } from '../../grammar/result.js';
import type { MessageHeaders, OptionHeaders } from '../../http/dialect.js';
import type { PublishRules } from './option-reader.js';
import type { PublishRequest } from './publish.request.js';
import type { PublishTarget } from './publish-targets.js';
import type { Submission } from './submissions.js';

/** Reads one kind of request that comes in as a publish, such as that for a workflow run. Pure. */
export interface PublishInterpreter {
  /** A publish that has one of these options is of this kind. */
  readonly options: readonly string[];
  /** What it submits. */
  read: ReadPublish;
  /** A refusal of such a request, as its client understands it. */
  refusal(refusal: Refusal, headers: OptionHeaders): Refusal;
}

/** From a publish as it came in, where it goes and what its headers say to what it submits. */
export type ReadPublish = (
  publish: PublishRequest,
  target: PublishTarget,
  said: MessageHeaders,
  rules: PublishRules,
) => Submission | Refusal;
