/** Accepts publishes from every route: reads their submissions, dispatches them and answers. */
import { Inject, Injectable } from '@nestjs/common';
import { dispatchAll, dispatchFitting } from '../../engine/bulk/slices.js';
import type { Clock } from '../../engine/clock.js';
import { Engine } from '../../engine/engine.js';
import { type Identifiers, newNames } from '../../engine/identifiers.js';
import type { Principal } from '../../engine/principal/principal.js';
import { provided } from '../../engine/provided.js';
import type { Outcome } from '../../engine/turn.js';
import { turnCommandsMax } from '../../engine/turn.js';
import { Refusal } from '../../grammar/result.js';
import {
  type Dialect,
  dialects,
  type MessageHeaders,
  type OptionHeaders,
  readMessageOptions,
} from '../../http/dialect.js';
import { durabilityOf } from '../../http/durability.js';
import { callerOf } from '../../http/identity/callers.js';
import { Intake } from '../../http/intake.js';
import type { RequestHead } from '../../http/request-head.js';
import type { Exchange } from '../../http/routes/exchange.js';
import { Messages } from '../messages/message.entity.js';
import type { MessagingSettings } from '../settings.js';
import { UrlGroups } from '../url-groups/url-group.entity.js';
import { type AddressedTemplate, messageTemplate, scheduleDefinition } from './message-template.js';
import { hasUnknown, type PublishRules } from './option-reader.js';
import {
  type PublishParsed,
  type PublishRequest,
  parsePublish,
  parseTemplate,
  type RequestContext,
} from './publish.request.js';
import type { PublishInterpreter, ReadPublish } from './publish-interpreter.js';
import { type PublishTarget, PublishTargets, publishRules } from './publish-targets.js';
import {
  type Answer,
  GroupSubmission,
  MessageSubmission,
  RefusedSubmission,
  ScheduleSubmission,
  type Submission,
  SubmissionOutcomes,
  WarnedSubmission,
} from './submissions.js';
import { type UnknownOption, unknownOptions, warningHeader } from './unknown-options.js';
import { dispatchWhole } from './whole-dispatch.js';

const withoutBody = {
  contentType: null,
  trace: [],
  body: Buffer.alloc(0),
  queueName: null,
  mustRepeat: false,
};

const jsonType = 'application/json; charset=utf-8';

/**
 * One instance per server, for the routes of publishes and batches, and for features above, which
 * use `interpret` to register the publishes that they handle.
 */
@Injectable()
export class Publisher {
  private readonly rules: PublishRules;
  /** The dialect of requests that do not name one. */
  private readonly dialect: Dialect;
  private readonly answerHeaders: readonly string[];
  private readonly interpreters: PublishInterpreter[] = [];

  constructor(
    private readonly engine: Engine,
    private readonly intake: Intake,
    private readonly targets: PublishTargets,
    private readonly groups: UrlGroups,
    private readonly messages: Messages,
    @Inject(provided.config) private readonly config: MessagingSettings,
    @Inject(provided.clock) private readonly clock: Clock,
    @Inject(provided.identifiers) private readonly identifiers: Identifiers,
  ) {
    this.rules = publishRules(config, targets);
    this.dialect = dialects[config.dialect];
    this.answerHeaders = ['content-type', jsonType, 'stepwell-durability', durabilityOf(config)];
  }

  /** Has `interpreter` read the publishes that carry one of its options. */
  interpret(interpreter: PublishInterpreter): void {
    this.interpreters.push(interpreter);
  }

  /** The context of a request that has just been read completely. */
  context({ caller }: Pick<Exchange, 'caller'>): RequestContext {
    const at = this.clock.now();
    const names = newNames(this.identifiers, at, caller.seed);
    return { at, callerIp: caller.address, dialect: this.dialect, names };
  }

  /**
   * The submission of one publish. If the request alone shows that it cannot be carried out, this
   * returns a refusal, so that the caller is answered at once.
   */
  read(publish: PublishRequest): Submission | Refusal {
    const { rawHeaders, context } = publish;
    const target = this.targets.read(publish.destination);
    if (target instanceof Refusal) return this.refusalTo(target, rawHeaders, context);
    const said = headersOf(publish, target);
    const interpreter = this.interpreterOf(said);
    const unknown = unknownIn(said);
    const typo = this.typoIn(unknown);
    if (typo !== undefined) return interpreter?.refusal(typo, said) ?? typo;
    const read = interpreter === undefined ? this.readPublish : interpreter.read;
    return warned(read(publish, target, said, this.rules), unknown);
  }

  /** The submission of a request that did not arrive as a publish, read by `read`. */
  readAs(read: ReadPublish, publish: PublishRequest): Submission | Refusal {
    const target = this.targets.read(publish.destination);
    if (target instanceof Refusal) return target;
    const said = headersOf(publish, target);
    const unknown = unknownIn(said);
    const typo = this.typoIn(unknown);
    return typo ?? warned(read(publish, target, said, this.rules), unknown);
  }

  /** The message, described by these headers, that a subscription publishes. */
  readTemplate(destination: string, request: RequestHead): ReadTemplate | Refusal {
    const target = this.targets.read(destination);
    if (target instanceof Refusal) return target;
    const { rawHeaders } = request;
    const context = this.context({ caller: callerOf(request) });
    const publish = { destination, rawHeaders, context, ...withoutBody };
    const said = headersOf(publish, target);
    const unknown = unknownIn(said);
    const typo = this.typoIn(unknown);
    if (typo !== undefined) return typo;
    const parsed = parseTemplate(publish, target, said, this.rules);
    if (!parsed.ok) return parsed;
    const topicName = target.kind === 'group' ? target.text : null;
    const addressed = messageTemplate(context.at, { ...parsed.message, topicName });
    return { addressed, warning: unknown.length === 0 ? null : warningHeader(unknown) };
  }

  /** A refusal of a request with these headers, in the form that its client understands. */
  refusalTo(refusal: Refusal, rawHeaders: readonly string[], { dialect }: RequestContext): Refusal {
    const headers = readMessageOptions(rawHeaders, dialect);
    return this.interpreterOf(headers)?.refusal(refusal, headers) ?? refusal;
  }

  /**
   * Carries out a submission and answers when its outcomes are durable. Turns of one tick share a
   * commit. `bytes` is the size of its bodies.
   */
  carryOut(exchange: Exchange, submission: Submission, bytes: number): void {
    const { intake } = this;
    const refusal = intake.take(bytes);
    if (refusal !== null) {
      exchange.refuse(refusal);
      return;
    }
    // This adds one promise per submission to the engine's own; an async function would add three.
    void this.dispatch(submission, exchange.caller).then(
      (outcomes) => {
        intake.done(bytes);
        const decided = new SubmissionOutcomes(submission.commands, outcomes);
        this.answer(exchange, submission, submission.answer(decided));
      },
      (error: unknown) => {
        intake.done(bytes);
        exchange.fail(error);
      },
    );
  }

  private interpreterOf({ options }: OptionHeaders): PublishInterpreter | undefined {
    return this.interpreters.find((interpreter) =>
      interpreter.options.some((option) => options.has(option)),
    );
  }

  /** Reads an ordinary publish, which no interpreter takes. */
  private readonly readPublish: ReadPublish = (publish, target, said, rules) => {
    const parsed = parsePublish(publish, target, said, rules);
    return parsed.ok ? this.submissionOf(publish, target, parsed) : parsed;
  };

  private submissionOf(
    { body, context: { at, names } }: PublishRequest,
    target: PublishTarget,
    { message, schedule }: Extract<PublishParsed, { ok: true }>,
  ): Submission {
    const groupName = target.kind === 'group' ? target.text : null;
    const group = groupName === null ? null : this.groups.find(groupName)?.state;
    if (group === undefined) return notFound(`URL group ${groupName} not found`);
    if (group?.endpoints.length === 0) return notFound(`URL group ${groupName} is empty`);
    const addressed = groupName === null ? message : { ...message, topicName: groupName };
    if (schedule !== null) {
      const id = schedule.id ?? names.next('scd');
      return new ScheduleSubmission(id, at, scheduleDefinition(schedule, at, addressed), body);
    }
    return group === null
      ? new MessageSubmission(names.next('msg'), at, message, body)
      : new GroupSubmission(names, at, addressed, body, group, (url) =>
          this.messages.isDuplicate({ ...addressed, url }, at),
        );
  }

  private answer(exchange: Exchange, { warnings }: Submission, answer: Answer | Refusal): void {
    if (answer instanceof Refusal) {
      exchange.refuse(answer);
      return;
    }
    const headers =
      warnings === undefined || warnings.length === 0
        ? this.answerHeaders
        : [...this.answerHeaders, 'stepwell-warning', warningHeader(warnings)];
    exchange.answer(answer.status, headers, JSON.stringify(answer.body));
  }

  /** In development a typo is refused: a warning would scroll by unnoticed. */
  private typoIn(unknown: readonly UnknownOption[]): Refusal | undefined {
    if (unknown.length === 0 || !this.config.isDevelopment) return undefined;
    const typo = unknown.find(({ isMisspelt }) => isMisspelt);
    return typo && new Refusal('invalid', typo.warning);
  }

  private dispatch({ commands, isWhole }: Submission, by: Principal): Promise<readonly Outcome[]> {
    const { engine } = this;
    if (commands.length < 2) return engine.dispatch(commands, by);
    if (commands.length <= turnCommandsMax) return dispatchFitting(engine, commands, isWhole, by);
    return isWhole ? dispatchWhole(engine, commands, by) : dispatchAll(engine, commands, by);
  }
}

/** A template, and the value of `Stepwell-Warning` if it has unknown options. */
export interface ReadTemplate {
  readonly addressed: AddressedTemplate;
  readonly warning: string | null;
}

/** The options in the headers of a publish and in the query of its destination. */
function headersOf(
  { rawHeaders, context }: PublishRequest,
  { options }: PublishTarget,
): MessageHeaders {
  const pairs = options.length === 0 ? rawHeaders : [...rawHeaders, ...options];
  return readMessageOptions(pairs, context.dialect);
}

const noneUnknown: readonly UnknownOption[] = [];

function unknownIn(said: MessageHeaders): readonly UnknownOption[] {
  return hasUnknown(said) ? unknownOptions(said) : noneUnknown;
}

/** Adds warnings about unknown options to a submission; usually there are none. */
function warned<Refused extends Refusal>(
  read: Submission | Refused,
  unknown: readonly UnknownOption[],
): Submission | Refused {
  if (unknown.length === 0 || read instanceof Refusal) return read;
  return new WarnedSubmission(read, unknown);
}

/** The refusal depends on stored state, so it is answered in its turn (ADR 1). */
function notFound(message: string): Submission {
  return new RefusedSubmission(new Refusal('not_found', message));
}
