/** The refusal of a request for whose bytes there is no room. */
import { Refusal } from '../grammar/result.js';

/** It closes the connection, because the body after the head was not read. */
export const noRoomRefusal: Refusal = new Refusal(
  'unavailable',
  'too many bytes are in flight; try again',
  { 'retry-after': '1', connection: 'close' },
);

/** Thrown if there was no room in time or the client has gone. */
export class NoRoom extends Error {
  override readonly name = 'NoRoom';

  constructor() {
    super(noRoomRefusal.message);
  }
}
