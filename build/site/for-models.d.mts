/** Types of for-models.mjs, for tests. */
import type { Section } from './gather.mjs';
export function indexOf(sections: readonly Section[], description: string, base?: string): string;
export function fullOf(sections: readonly Section[]): string;
