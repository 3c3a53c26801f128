#!/usr/bin/env node
import { bundleIfStale } from './bundle.js';

// The service logs source positions; a command need not read the maps.
if (process.argv[2] === 'start') process.setSourceMapsEnabled(true);
await bundleIfStale();
const { part } = await import('../../dist/rollcall.js');
if (part !== undefined) await import(`../../dist/${part}.js`);
