import { pino } from 'pino';
import { ProcessLife } from '../../src/engine/lifecycle/process-life.js';
import { Intake } from '../../src/http/intake.js';
import { ManualClock } from '../support/manual-clock.js';

const megabytes = 1024 * 1024;

describe('the intake', () => {
  it('accepts work while there is room, and refuses it with 507 when there is none', () => {
    let hasRoom = true;
    const intake = new Intake({
      get hasRoom() {
        return hasRoom;
      },
    });
    expect(intake.take(100)).toBeNull();
    hasRoom = false;
    expect(intake.take(1)).toMatchObject({ code: 'disk_full', headers: { 'retry-after': '10' } });
    hasRoom = true;
    expect(intake.take(1)).toBeNull();
  });

  it('refuses with 503 when too much waits for the disk, but takes one large body', () => {
    const intake = new Intake({ hasRoom: true });
    expect(intake.take(300 * megabytes)).toBeNull();
    expect(intake.take(1)).toMatchObject({ code: 'unavailable', headers: { 'retry-after': '1' } });
    intake.done(300 * megabytes);
    expect(intake.take(256 * megabytes)).toBeNull();
    expect(intake.take(1)).toMatchObject({ code: 'unavailable' });
    intake.done(256 * megabytes);
    expect(intake.take(1)).toBeNull();
  });

  it('lets the process report whether it accepts writes, until stopped', async () => {
    const clock = new ManualClock();
    const life = new ProcessLife(clock, pino({ level: 'silent' }));
    await life.recover();
    let hasRoom = true;
    const intake = new Intake({
      get hasRoom() {
        return hasRoom;
      },
    });
    const { stop } = intake.report(life, clock);
    hasRoom = false;
    clock.advance(1000);
    expect(life.status).toEqual({
      state: 'readOnly',
      reason: expect.stringContaining('the disk is nearly full'),
    });
    hasRoom = true;
    clock.advance(1000);
    expect(life.status).toEqual({ state: 'serving', reason: null });
    stop();
    hasRoom = false;
    clock.advance(10_000);
    expect(life.status.state).toBe('serving');
  });

  it('reports from the beginning that writes are refused if the disk is full', async () => {
    const lines: string[] = [];
    const log = pino({ level: 'warn' }, { write: (line) => void lines.push(line) });
    const clock = new ManualClock();
    const life = new ProcessLife(clock, log);
    let hasRoom = false;
    const { stop } = new Intake({
      get hasRoom() {
        return hasRoom;
      },
    }).report(life, clock);
    clock.advance(5000);
    await life.recover();
    expect(life.status).toEqual({
      state: 'readOnly',
      reason: expect.stringContaining('the disk is nearly full'),
    });
    expect(lines.map((line) => JSON.parse(line).msg)).toEqual(['writes are refused']);
    hasRoom = true;
    clock.advance(1000);
    expect(life.status).toEqual({ state: 'serving', reason: null });
    stop();
  });
});
