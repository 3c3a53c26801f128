/** Of a thread for imports or projections: with the default each holds some 20 MiB more at its peak. */
export const threadLimits = { maxYoungGenerationSizeMb: 8 };
