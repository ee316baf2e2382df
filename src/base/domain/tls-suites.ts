/**
 * The cipher suites of the terminal, as a server and as a client (RFC 9325, 4.2; RFC 8446, B.4): authenticated
 * encryption with an ephemeral key exchange for each connection. Excluded: CBC, because of repeated attacks on its
 * padding; ARIA and CCM, which are not needed; RSA key exchange.
 */
export const tlsRules = {
  minVersion: 'TLSv1.2',
  ciphers: [
    'TLS_AES_256_GCM_SHA384',
    'TLS_CHACHA20_POLY1305_SHA256',
    'TLS_AES_128_GCM_SHA256',
    'ECDHE-ECDSA-AES128-GCM-SHA256',
    'ECDHE-RSA-AES128-GCM-SHA256',
    'ECDHE-ECDSA-AES256-GCM-SHA384',
    'ECDHE-RSA-AES256-GCM-SHA384',
    'ECDHE-ECDSA-CHACHA20-POLY1305',
    'ECDHE-RSA-CHACHA20-POLY1305',
  ].join(':'),
} as const;
