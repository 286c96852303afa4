/**
 * Explains why a gate does not admit an attempt: which limit it is, what takes it, and how many
 * attempts go first. Pure.
 */
import type { GateWait, Obstacle } from '../gates/obstacle.js';
import { counted, timeText, type Why } from './why.js';

/** The reasons that gates give. */
export const gateReasons = [
  'queue_paused',
  'queue_order',
  'flow_control_paused',
  'flow_control_parallelism',
  'flow_control_rate',
  'flow_control_order',
  'origin_paused',
  'origin_limit',
  'domain_limit',
  'body_bytes_limit',
  'attempts_limit',
  'not_owner',
] as const;
/** The `reason` of a message that waits at a gate. */
type GateReason = (typeof gateReasons)[number];

type GateWhy = Why<GateReason>;
type Of<Name extends Obstacle['gate']> = Extract<Obstacle, { readonly gate: Name }>;

/** The reason and the sentence for a wait that `Gates.waitOf` returns. */
export function whyGate({ obstacle, ahead }: GateWait): GateWhy {
  const limit = limitOf(obstacle);
  return { ...limit, sentence: `${limit.sentence}${orderText(ahead)}.` };
}

function limitOf(obstacle: Obstacle): GateWhy {
  switch (obstacle.gate) {
    case 'queue':
      return queueLimit(obstacle);
    case 'flowControl':
      return flowControlLimit(obstacle);
    case 'pausedOrigin':
      return {
        reason: 'origin_paused',
        sentence: `Origin ${obstacle.origin} is paused`,
        remedy: `POST /admin/origins/resume with {"origin":"${obstacle.origin}"}`,
      };
    case 'origin':
    case 'domain':
      return shareLimit(obstacle);
    case 'bodyBytes':
      return {
        reason: 'body_bytes_limit',
        sentence:
          `Large bodies in flight take ${megabytes(obstacle.taken)} of the ` +
          `${megabytes(obstacle.limit)} that the server reserves for them`,
      };
    case 'ownership':
      return {
        reason: 'not_owner',
        sentence: 'This node cannot prove at the moment that it owns the shared log',
        remedy: 'Check the shared log: stepwell cluster status.',
      };
    case 'attempts':
      return {
        reason: 'attempts_limit',
        sentence:
          `${counted(obstacle.taken, 'attempt')} of the ${obstacle.limit.toLocaleString('en')} ` +
          'that the server allows at once are in flight',
        remedy: 'Raise STEPWELL_GLOBAL_PARALLELISM, or find the destinations that answer slowly.',
      };
  }
}

function queueLimit({ queueName, isPaused, parallelism, taken, holders }: Of<'queue'>): GateWhy {
  if (isPaused) {
    return {
      reason: 'queue_paused',
      sentence: `Queue ${queueName} is paused`,
      remedy: `POST /v2/queues/${queueName}/resume`,
    };
  }
  const [first] = holders;
  const others = taken - 1;
  const also = others > 0 ? ` and ${counted(others, 'other message')}` : '';
  const holding =
    first === undefined ? '' : `, and ${first}${also} ${others > 0 ? 'are' : 'is'} ahead`;
  return {
    reason: 'queue_order',
    sentence: `Queue ${queueName} delivers ${parallelism} at a time in order${holding}`,
    ...(first !== undefined && { remedy: `GET /v2/messages/${first}/why says what it waits for.` }),
  };
}

function flowControlLimit(control: Of<'flowControl'>): GateWhy {
  const { key, isPaused, parallelism, running, rate, periodSeconds, spent, windowEndsAt } = control;
  if (isPaused) {
    return {
      reason: 'flow_control_paused',
      sentence: `Flow-control key ${key} is paused`,
      remedy: `POST /v2/flowControl/${key}/resume`,
    };
  }
  if (parallelism !== null && running >= parallelism) {
    return {
      reason: 'flow_control_parallelism',
      sentence:
        `Flow-control key ${key} allows ${counted(parallelism, 'attempt')} at once, ` +
        `and ${running.toLocaleString('en')} ${running === 1 ? 'is' : 'are'} in flight`,
      remedy: `POST /v2/flowControl/${key}/pin with a higher parallelism`,
    };
  }
  if (rate !== null && spent >= rate && windowEndsAt !== null) {
    return {
      reason: 'flow_control_rate',
      sentence:
        `Flow-control key ${key} allows ${counted(rate, 'start')} in ` +
        `${counted(periodSeconds, 'second')}; they are used up until ${timeText(windowEndsAt)}`,
      until: windowEndsAt,
      remedy: `POST /v2/flowControl/${key}/resetRate begins a new window`,
    };
  }
  return {
    reason: 'flow_control_order',
    sentence: `Flow-control key ${key} starts attempts in the order of their arrival`,
  };
}

function shareLimit({ gate, destination, running, limit }: Of<'origin' | 'domain'>): GateWhy {
  const share =
    running >= limit ? `the maximum for one ${gate}` : 'its share of the remaining places';
  const isOrigin = gate === 'origin';
  const to = isOrigin ? destination : `hosts in ${destination}`;
  const attempts = `${counted(running, 'attempt')} to ${to} in flight`;
  return {
    reason: `${gate}_limit`,
    sentence: `${attempts} ${running === 1 ? 'is' : 'are'} ${share}`,
    remedy: isOrigin
      ? 'The destination answers more slowly than messages arrive: make it faster, or raise ' +
        'STEPWELL_ORIGIN_PARALLELISM.'
      : 'Destinations in this domain answer more slowly than messages arrive: make them faster, ' +
        'or raise STEPWELL_GLOBAL_PARALLELISM.',
  };
}

function orderText(ahead: number | null): string {
  if (ahead === 0) return '';
  return ahead === null
    ? '; more than 100,000 attempts are ahead'
    : `; ${counted(ahead, 'attempt')} ${ahead === 1 ? 'is' : 'are'} ahead`;
}

function megabytes(bytes: number): string {
  return `${Math.round(bytes / (1024 * 1024))} MiB`;
}
