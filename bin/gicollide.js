#!/usr/bin/env node
import { main } from '../dist/cli/program.js';

await main(process.argv);
