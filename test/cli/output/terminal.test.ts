import { progressLine } from '../../../src/cli/output/terminal.js';
import { ManualClock } from '../../support/manual-clock.js';

/** A stream that keeps what is written to it. */
function stream(isTTY: boolean) {
  const written: string[] = [];
  return { written, isTTY, write: (text: string) => written.push(text) };
}

describe('a progress line', () => {
  it('is overwritten in place on a terminal, ten times a second, and leaves nothing', () => {
    const clock = new ManualClock();
    const terminal = stream(true);
    const line = progressLine(clock, terminal);
    line.show('one');
    line.show('too soon');
    clock.advance(100);
    line.show('two');
    line.clear();
    expect(terminal.written).toEqual(['\r\x1b[Kone', '\r\x1b[Ktwo', '\r\x1b[K']);
  });

  it('writes nothing if the output is not a terminal', () => {
    const pipe = stream(false);
    const line = progressLine(new ManualClock(), pipe);
    line.show('one');
    line.clear();
    expect(pipe.written).toEqual([]);
  });

  it('clears nothing if it has shown nothing', () => {
    const terminal = stream(true);
    progressLine(new ManualClock(), terminal).clear();
    expect(terminal.written).toEqual([]);
  });
});
