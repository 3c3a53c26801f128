export function skipScalar(at: usize): usize {
  switch (load<u8>(at)) {
    case 0x6e:
      return skipNull(at);
    case 0x74:
      return load<u32>(at) == 0x65757274 ? at + 4 : 0;
    case 0x66:
      return load<u32>(at + 1) == 0x65736c61 ? at + 5 : 0;
    default:
      return skipNumber(at);
  }
}

export function skipNull(at: usize): usize {
  return load<u32>(at) == 0x6c6c756e ? at + 4 : 0;
}

function skipNumber(at: usize): usize {
  const start = load<u8>(at) == 0x2d ? at + 1 : at;
  let end = skipDigits(start);
  if (end == start || (load<u8>(start) == 0x30 && end > start + 1)) return 0;
  if (load<u8>(end) == 0x2e) {
    const fraction = end + 1;
    end = skipDigits(fraction);
    if (end == fraction) return 0;
  }
  return (load<u8>(end) | 0x20) == 0x65 ? skipExponent(end + 1) : end;
}

function skipExponent(at: usize): usize {
  const sign = load<u8>(at);
  const start = sign == 0x2b || sign == 0x2d ? at + 1 : at;
  const end = skipDigits(start);
  return end == start ? 0 : end;
}

function skipDigits(at: usize): usize {
  while (isDigit(load<u8>(at))) at++;
  return at;
}

export function isDigit(byte: u32): bool {
  return byte - 0x30 <= 9;
}
