import { StreamPlaces } from '../../../src/http/bytes/stream-places.js';

class Stream {
  ends = 0;
  private settle: () => void = () => undefined;
  private readonly over = new Promise<void>((resolve) => {
    this.settle = resolve;
  });

  readonly run = () => this.over;

  end(): void {
    this.ends += 1;
    this.settle();
  }
}

describe('the streams of one kind', () => {
  it('are limited, including those that have not begun', async () => {
    const streams = new StreamPlaces<Stream>(2);
    const places = [streams.keepPlace(), streams.keepPlace()];
    expect(streams.hasPlace).toBe(false);
    expect(streams.size).toBe(0);
    const begun = new Stream();
    const served = places[0]?.(begun, begun.run);
    expect(streams.hasPlace).toBe(false);
    expect([...streams]).toEqual([begun]);
    begun.end();
    await served;
    expect(streams.hasPlace).toBe(true);
  });

  it('release their places if serving them fails', async () => {
    const streams = new StreamPlaces<Stream>(1);
    const serve = streams.keepPlace();
    await expect(serve(new Stream(), () => Promise.reject(new Error('no')))).rejects.toThrow('no');
    expect(streams.size).toBe(0);
    expect(streams.hasPlace).toBe(true);
  });

  it('end with a stop, and so does one that begins after it', async () => {
    const streams = new StreamPlaces<Stream>(3);
    const [begun, late] = [new Stream(), new Stream()];
    const served = streams.keepPlace()(begun, begun.run);
    const serveLate = streams.keepPlace();
    streams.stop();
    await served;
    expect(streams.hasPlace).toBe(false);
    await serveLate(late, late.run);
    expect([begun.ends, late.ends]).toEqual([1, 1]);
  });
});
