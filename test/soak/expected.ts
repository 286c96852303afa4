/** Numbers that were acknowledged and have to arrive; what is expected is in memory, no more. */
export class Expected {
  private readonly acknowledged = new Set<number>();
  /** What arrived before it was acknowledged. */
  private readonly early = new Set<number>();
  arrivals = 0;

  get missing(): readonly number[] {
    return [...this.acknowledged];
  }

  acknowledge(number: number): void {
    if (!this.early.delete(number)) this.acknowledged.add(number);
  }

  arrive(number: number): void {
    this.arrivals += 1;
    if (!this.acknowledged.delete(number)) this.early.add(number);
  }
}

/** A text that tells its number, and whether all of it is there. */
export function textOf(number: number): string {
  return `${number} ${'x'.repeat((number * 37) % 1500)}`;
}

/** Throws where it is not one. */
export function numberOf(text: string): number {
  const number = Number(text.split(' ', 1)[0]);
  if (textOf(number) === text) return number;
  throw new Error(`not a text that was sent: ${text.slice(0, 100)}`);
}
