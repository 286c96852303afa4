/** Reads the group and the instance from a path: `/:group/:instance`. */
import type { FastifyExchange } from '../../http/routes/fastify-exchange.js';
import type { ConsumerPlace } from '../groups/consumer.events.js';

/** Both names are decoded; any text is allowed. */
export function placeIn(exchange: FastifyExchange): ConsumerPlace {
  return { group: exchange.param('group'), instance: exchange.param('instance') };
}
