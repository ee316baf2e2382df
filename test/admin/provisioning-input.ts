import type { Json } from '../../src/config/json-file.ts';

/** A test key. */
export const secret = 'TEST-KEY-5up3r';

/** What a terminal is provisioned with. */
export const provisioning: Json = {
  serialNumber: 'PT-000123',
  timeZone: 'Asia/Hong_Kong',
  shop: { name: 'Harbour Tea House' },
  reader: { driver: 'neo2', path: '/dev/poid/reader' },
  acquirers: [
    {
      id: 'EDC',
      protocol: 'iso8583',
      host: '192.0.2.1',
      port: 5000,
      tid: '12345678',
      mid: '123456789012345',
      nii: '003',
      tpdu: '6000030000',
      brands: ['VISA'],
      security: { tls: { ca: '/etc/poid/edc-ca.pem' } },
    },
    { id: 'QR', protocol: 'qfpay', url: 'https://h.example', appCode: 'CODE', clientKey: secret, tid: 'PT-000123' },
  ],
};
