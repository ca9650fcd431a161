#!/usr/bin/env node
// Node's own exit code for a program that cannot start is 1, which is a verdict: nothing is imported outside this try.
try {
  const { existsSync, readFileSync } = await import('node:fs');
  const { fileURLToPath } = await import('node:url');
  // A clone has its sources beside the program, and must not run an older build of them. A package
  // has none.
  const root = fileURLToPath(new URL('..', import.meta.url));
  const check = new URL('../scripts/sources-digest.mjs', import.meta.url);
  const stale = existsSync(check) && (await import(check)).staleBuild(root);
  if (stale) throw new Error(stale);
  const [word, ...others] = process.argv.slice(2);
  if (others.length === 0 && (word === '--version' || word === '-V')) {
    // As the program says it, which takes longer to load than this takes to run.
    const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
    process.stdout.on('error', ({ code, message }) => {
      const why = code === 'ENOSPC' ? 'no space left on the device' : message;
      // A reader that closes early knows why.
      if (code !== 'EPIPE') process.stderr.write(`error: stdout: ${why}\n`);
      process.exit(2);
    });
    process.stdout.write(`${version}\n`);
  } else {
    const { main } = await import('../dist/package/lib/program.js');
    await main(process.argv);
  }
} catch (error) {
  process.stderr.write(`error: cannot start: ${String(error?.message ?? error).split('\n', 1)[0]}\n`);
  process.exitCode = 2;
}
