/**
 * Schemas of standards, which others wrote: test/schemas/README.md says where they are from. Tests
 * that need one are skipped, and say so, where it is not there.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { test } from 'vitest';
import { makeFolder } from './cli.ts';

const folder = fileURLToPath(new URL('../schemas', import.meta.url));

export const schemaFile = (name: string): string => join(folder, name);

const hasXmllint = spawnSync('xmllint', ['--version']).error === undefined;

/** A test that needs these schemas; of XML also xmllint. */
export function testWithSchemas(names: readonly string[], title: string, run: () => unknown): void {
  const missing = names.filter((name) => !existsSync(schemaFile(name))).map((name) => `test/schemas/${name}`);
  if (names.some((name) => name.endsWith('.xsd')) && !hasXmllint) missing.push('xmllint');
  if (missing.length > 0) console.log(`skipped: ${title}: ${missing.join(', ')} is not there`);
  test.runIf(missing.length === 0)(title, async () => {
    await run();
  });
}

/** Errors of xmllint for a file and a schema; empty if it is valid. */
export function xmllint(xml: string, schema: string): string {
  const path = join(makeFolder(), 'written.xml');
  writeFileSync(path, xml);
  const { status, stderr } = spawnSync('xmllint', ['--noout', '--nonet', '--schema', schemaFile(schema), path], {
    encoding: 'utf8',
  });
  return status === 0 ? '' : stderr;
}
