/**
 * Why a suite is skipped, false where nothing is missing. With TEST_SERVERS=required nothing may be skipped: what is
 * missing is an error then.
 */
export function skipWithout(missing: string | false): string | false {
  if (missing !== false && process.env['TEST_SERVERS'] === 'required')
    throw new Error(`TEST_SERVERS=required: ${missing}`);
  return missing;
}
