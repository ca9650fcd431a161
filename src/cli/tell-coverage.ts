/** Reports unchecked elements and warnings. */
import { printable } from '../base/printable.ts';
import { someOf } from '../readers/mesh-file.ts';
import type { Covered, ElementNote, UncheckedFinding } from '../scene/coverage.ts';
import type { Session, WarningRecord } from './session.ts';

/** Prints one line per unreadable asset, and per reason of incomplete elements. */
export function sayUnchecked(
  { failures, findings }: Pick<Covered, 'failures' | 'findings'>,
  leftOut: readonly ElementNote[],
  { log }: Session,
): void {
  for (const { names, problem } of failures) log.error(`${problem}; unchecked: ${someOf(names)}`);
  const reasons = new Map<string, string[]>();
  for (const { a, reason } of findings) {
    const key = `${a.file ?? ''}: ${reason}`;
    const names = reasons.get(key) ?? [];
    names.push(a.name);
    reasons.set(key, names);
  }
  for (const [reason, names] of reasons) log.error(`${reason}; unchecked: ${someOf(names)}`);
  for (const { name, file, text } of leftOut) log.info(`${file}: left out by rule: ${printable(name)} (${text})`);
}

/** Lists missing elements with reasons, in words. */
export function notThere({ findings, failures, allowed, open }: Covered, leftOut: readonly ElementNote[]): string[] {
  const lost = [...findings.map(({ a }) => a.name), ...failures.flatMap(({ names }) => names)];
  const excused = allowed.length > 0 ? [...open].filter((name) => !lost.includes(name)) : [];
  return [
    ...(leftOut.length > 0 ? [`left out by rule: ${someOf(leftOut.map((own) => own.name))}`] : []),
    ...(excused.length > 0 ? [`allowed to be incomplete: ${someOf(excused)}`] : []),
    ...(lost.length > 0 ? [`not readable: ${someOf(lost)}`] : []),
  ];
}

export const lineOfUnchecked = ({ a: { name, file }, reason }: UncheckedFinding): string =>
  `unchecked  ${printable(name)}  ${file === null ? '' : `${printable(file)}: `}${reason}`;

export const listOf = (warnings: readonly WarningRecord[]): { warnings?: string[] } =>
  warnings.length === 0 ? {} : { warnings: warnings.map(({ subject, message }) => `${subject}: ${message}`) };
