// The program file by file, as tsc compiles it; bin/gicollide.js runs the package's bundle.
const { main } = await import('../../dist/cli/program.js');
await main(process.argv);
