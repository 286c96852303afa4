/** How many streams of a kind are held as objects, and how long a stream may become. */

export interface StreamSizes {
  /**
   * Live states of a kind that `restsIdle`: beyond them the least recently touched rest. In replay
   * of any kind: beyond them the half that was woken first.
   */
  readonly liveStates: number;
  /** Streams whose kind asks for it have a checkpoint after so many events. */
  readonly eventsPerCheckpoint: number;
}

/** What the server runs with; tests choose smaller ones, so that streams rest soon. */
export const shippedStreamSizes: StreamSizes = { liveStates: 1024, eventsPerCheckpoint: 1024 };
