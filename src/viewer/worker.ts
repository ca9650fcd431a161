/** The library. */
import { check, createScene, prepare } from '../api.ts';
import { read } from '../browser.ts';

Object.assign(globalThis, { check, createScene, prepare, read });
