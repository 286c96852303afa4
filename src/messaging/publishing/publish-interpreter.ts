/** Publishes that are more than a plain message: a feature above says which, and what they mean. */
import type { Refusal } from '../../grammar/result.js';
import type { MessageHeaders, OptionHeaders } from '../../http/dialect.js';
import type { PublishRules } from './option-reader.js';
import type { PublishRequest } from './publish.request.js';
import type { PublishTarget } from './publish-targets.js';
import type { Submission } from './submissions.js';

/**
 * Reads one kind of request that arrives as a publish, such as a command for a workflow run. Pure.
 */
export interface PublishInterpreter {
  /** A publish that has one of these options is of this kind. */
  readonly options: readonly string[];
  /** Reads the submission of such a publish. */
  read: ReadPublish;
  /** Puts a refusal of such a request into the form that its client understands. */
  refusal(refusal: Refusal, headers: OptionHeaders): Refusal;
}

/** Turns a publish, its target and what its headers say into a submission. */
export type ReadPublish = (
  publish: PublishRequest,
  target: PublishTarget,
  said: MessageHeaders,
  rules: PublishRules,
) => Submission | Refusal;
