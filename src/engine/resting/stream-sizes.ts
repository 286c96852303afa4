/** How many streams of a kind are kept as objects, and the length at which a checkpoint is due. */

export interface StreamSizes {
  /**
   * How many states of a kind that `restsIdle` are kept live: beyond this, the least recently
   * touched rest. In replay, for every kind: beyond this, the half that was woken first rests.
   */
  readonly liveStates: number;
  /** Streams of a kind with checkpoints get one each time after this many events. */
  readonly eventsPerCheckpoint: number;
}

/** The values of the server; tests choose smaller ones, so that streams rest sooner. */
export const shippedStreamSizes: StreamSizes = { liveStates: 1024, eventsPerCheckpoint: 1024 };
