/** Which instance of which group a path names: `/:group/:instance`. */
import type { FastifyExchange } from '../../http/routes/fastify-exchange.js';
import type { ConsumerPlace } from '../groups/consumer.events.js';

/** Both decoded; any text is a name. */
export function placeIn(exchange: FastifyExchange): ConsumerPlace {
  return { group: exchange.param('group'), instance: exchange.param('instance') };
}
