#!/usr/bin/env node
// Node's own exit code for a program that cannot start is 1, which is a verdict: nothing is imported outside this try.
try {
  const { main } = await import('../dist/package/lib/program.js');
  await main(process.argv);
} catch (error) {
  process.stderr.write(`gicollide: cannot start: ${String(error?.message ?? error).split('\n', 1)[0]}\n`);
  process.exitCode = 2;
}
