// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {Deal} from "../interfaces/DealTypes.sol";
import {LibDeals} from "./LibDeals.sol";

/// @notice Hash of an offer, and the account that signed it. All of it is frozen.
library LibOffers {
    /// @dev keccak256 of "Offer(Deal deal,uint256 validUntil)" followed by the type `Deal` of LibDeals.
    bytes32 internal constant OFFER_TYPEHASH = 0x5f52eaad6885bac430cc95096e3a14bfe857df9f9e8f316df982aaabc9b90cda;

    /// @dev Half of the order of secp256k1: of the two forms of a signature, the one with the lower `s` counts (EIP-2).
    uint256 private constant MAX_S = 0x7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0;

    /// @notice Digest of the terms, and digest of the offer that a signer signs, in one domain.
    /// @param deal The terms of a deal.
    /// @param validUntil Unix seconds, exclusive.
    /// @return terms The terms hash of the deal.
    /// @return offer EIP-712 digest of {deal, validUntil}.
    function hashes(Deal calldata deal, uint256 validUntil) internal view returns (bytes32 terms, bytes32 offer) {
        bytes32 domain = LibDeals.domainSeparator();
        bytes32 dealHash = LibDeals.structHash(deal);
        terms = LibDeals.digest(domain, dealHash);
        offer = LibDeals.digest(domain, keccak256(abi.encode(OFFER_TYPEHASH, dealHash, validUntil)));
    }

    /// @notice The account that signed a digest, from a compact signature (EIP-2098).
    /// @param digest What was signed.
    /// @param r First half of the signature.
    /// @param vs Second half, with the parity of the curve point in its highest bit.
    /// @return signer Zero for an invalid signature, and for one with the higher of its two possible `s`.
    function recover(bytes32 digest, bytes32 r, bytes32 vs) internal pure returns (address signer) {
        uint256 s = uint256(vs) & (type(uint256).max >> 1);
        if (s > MAX_S) return address(0);
        return ecrecover(digest, uint8(uint256(vs) >> 255) + 27, r, bytes32(s));
    }
}
