import { bundleIfStale } from './bundle.js';

const parts = ['standalone', 'api', 'projector', 'worker'];
const [part = 'standalone', ...others] = process.argv.slice(2);

if (!parts.includes(part) || others.length > 0) {
  process.stderr.write(
    `npm start runs everything; npm run start:api, start:projector, start:worker one part.\n`,
  );
  process.exit(2);
}
await bundleIfStale();
await import(`../../dist/${part}.js`);
