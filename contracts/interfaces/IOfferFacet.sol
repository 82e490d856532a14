// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {Deal} from "./DealTypes.sol";

/// @notice Pays deals that a signer offers by a signature, without a transaction that creates them.
/// @dev An offer is {deal, validUntil}, signed by an account with the registry's role `signer` (EIP-712, EIP-2098). The
///      payment leaves the same word and emits the same `DealPaid` as a payment of a created deal. A deal that was created
///      as well can be paid either way, once.
interface IOfferFacet {
    /// @notice The signature is invalid, or its account does not hold the role `signer`.
    /// @param signer The recovered account; zero for an invalid signature.
    error NotSigner(address signer);
    /// @notice The offer is no longer valid; its signer may have made a newer one.
    /// @param dealId The deal.
    /// @param validUntil Unix seconds, exclusive.
    /// @param timestamp The block's time, in Unix seconds.
    error OfferExpired(uint256 dealId, uint256 validUntil, uint256 timestamp);

    /// @notice Pays with a token: pulls `amount` from the caller by allowance, straight to the payee.
    /// @param deal The offered terms.
    /// @param validUntil Unix seconds until which the offer is valid, exclusive.
    /// @param r First half of the signer's signature.
    /// @param vs Second half of the signer's signature, with its parity.
    function payOfferedToken(Deal calldata deal, uint256 validUntil, bytes32 r, bytes32 vs) external;

    /// @notice Pays with the native coin: `msg.value` must be exactly `amount`.
    /// @param deal The offered terms.
    /// @param validUntil Unix seconds until which the offer is valid, exclusive.
    /// @param r First half of the signer's signature.
    /// @param vs Second half of the signer's signature, with its parity.
    function payOfferedNative(Deal calldata deal, uint256 validUntil, bytes32 r, bytes32 vs) external payable;

    /// @notice Like `payOfferedToken`, after trying the caller's EIP-2612 permit over `amount`; a failing permit is ignored.
    /// @param deal The offered terms.
    /// @param validUntil Unix seconds until which the offer is valid, exclusive.
    /// @param r First half of the signer's signature.
    /// @param vs Second half of the signer's signature, with its parity.
    /// @param deadline Unix seconds after which the permit is void.
    /// @param permitV Recovery byte of the caller's permit.
    /// @param permitR First half of the caller's permit.
    /// @param permitS Second half of the caller's permit.
    function payOfferedTokenWithPermit(
        Deal calldata deal,
        uint256 validUntil,
        bytes32 r,
        bytes32 vs,
        uint256 deadline,
        uint8 permitV,
        bytes32 permitR,
        bytes32 permitS
    ) external;
}
