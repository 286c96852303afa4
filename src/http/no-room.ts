/** The refusal of a request for whose bytes there is no room. */
import type { Refusal } from './error-shapes.js';

/** The connection ends with it: the body behind the head was not read. */
export const noRoomRefusal: Refusal = {
  status: 503,
  message: 'too many bytes are in flight; try again',
  headers: { 'retry-after': '1', connection: 'close' },
};

/** There was no room in time, or the client has gone. */
export class NoRoom extends Error {
  override readonly name = 'NoRoom';

  constructor() {
    super(noRoomRefusal.message);
  }
}
