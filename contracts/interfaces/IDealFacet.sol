// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {Deal, DealKey} from "./DealTypes.sol";

/// @notice Deals of one merchant wallet: created and cancelled by operators, paid by buyers, straight to the payee.
/// @dev The chain stores one `DealWord` per deal, which the ABI shows as 32 bytes.
interface IDealFacet {
    /// @notice A deal is on the chain and can be paid.
    /// @param dealId Random 53-bit number.
    /// @param termsHash EIP-712 digest of its terms.
    event DealCreated(uint256 indexed dealId, bytes32 indexed termsHash);
    /// @notice A buyer paid, and the payee received exactly `amount`.
    /// @param dealId The deal; it stays paid.
    /// @param termsHash EIP-712 digest of its terms.
    /// @param payer The caller, who paid.
    /// @param token The token, zero for the native coin.
    /// @param payee Received the money.
    /// @param amount Base units of the token, wei of the native coin.
    event DealPaid(
        uint256 indexed dealId,
        bytes32 indexed termsHash,
        address indexed payer,
        address token,
        address payee,
        uint256 amount
    );
    /// @notice A deal can no longer be paid.
    /// @param dealId The deal, or an id that can no longer become one.
    /// @param word Its new word: its terms with status 3, or the bare 3 of a tombstone.
    event DealCancelled(uint256 indexed dealId, bytes32 word);
    /// @notice An id was requested with other terms than it has; nothing changed.
    /// @param dealId The id.
    /// @param word Its present word.
    /// @param termsHash Digest of the requested terms.
    event DealConflict(uint256 indexed dealId, bytes32 word, bytes32 termsHash);
    /// @notice Root moved out tokens or coins that strangers had sent to the diamond.
    /// @param token The token, zero for the native coin.
    /// @param to The receiver.
    /// @param amount The whole balance, in base units or wei.
    event Swept(address indexed token, address indexed to, uint256 amount);

    /// @notice Only operators create and cancel deals.
    /// @param caller The actual caller.
    error NotOperator(address caller);
    /// @notice Only the registry's root sweeps.
    /// @param caller The actual caller.
    error NotRoot(address caller);
    /// @notice The registry is paused: deals can be cancelled, but neither created nor paid.
    error Paused();
    /// @notice The deal is unknown, paid or cancelled.
    /// @param dealId The deal.
    /// @param word The present word of its id.
    error DealNotOpen(uint256 dealId, bytes32 word);
    /// @notice The deal was created with other terms.
    /// @param dealId The deal.
    /// @param word The present word of its id.
    /// @param termsHash Digest of the given terms.
    error TermsMismatch(uint256 dealId, bytes32 word, bytes32 termsHash);
    /// @notice The deal has expired.
    /// @param dealId The deal.
    /// @param expiresAt Unix seconds, exclusive.
    /// @param timestamp The block's time, in Unix seconds.
    error DealExpired(uint256 dealId, uint256 expiresAt, uint256 timestamp);
    /// @notice The deal names another payer.
    /// @param caller The actual caller.
    /// @param payer The named payer.
    error NotPayer(address caller, address payer);
    /// @notice `payNative` got terms with a token, or another function terms without one.
    /// @param token The token of the terms.
    error WrongToken(address token);
    /// @notice The receiver is zero or the diamond itself.
    /// @param payee The receiver.
    error InvalidPayee(address payee);
    /// @notice The amount is zero.
    /// @param amount The amount of the terms.
    error InvalidAmount(uint256 amount);
    /// @notice The call carries another value than is due.
    /// @param value The sent wei.
    /// @param amount The due wei.
    error WrongValue(uint256 value, uint256 amount);
    /// @notice The token moved another amount than requested.
    /// @param received Growth of the payee's balance, in base units.
    /// @param amount The due amount, in base units.
    error InexactTransfer(uint256 received, uint256 amount);
    /// @notice The receiver refused the native coin.
    /// @param payee The receiver.
    error NativeTransferFailed(address payee);

    /// @notice Creates deals. Operators only, not while paused.
    /// @dev The same terms again change nothing, a cancelled id stays cancelled silently, an id with other terms is
    ///      skipped with `DealConflict`; one item never spoils the others.
    /// @param deals Ids with the digests of their terms.
    function createDeals(DealKey[] calldata deals) external;

    /// @notice Cancels open deals and leaves tombstones at unknown ids. Operators only, also while paused.
    /// @dev Paid and cancelled deals are skipped silently.
    /// @param dealIds Any ids.
    function cancelDeals(uint256[] calldata dealIds) external;

    /// @notice Pays with a token: pulls `amount` from the caller by allowance, straight to the payee.
    /// @param deal The deal's terms.
    function payToken(Deal calldata deal) external;

    /// @notice Pays with the native coin: `msg.value` must be exactly `amount`.
    /// @param deal The deal's terms.
    function payNative(Deal calldata deal) external payable;

    /// @notice Like `payToken`, after trying the caller's EIP-2612 permit over `amount`; a failing permit is ignored.
    /// @param deal The deal's terms.
    /// @param deadline Unix seconds after which the permit is void.
    /// @param v Recovery byte of the signature.
    /// @param r First half of the signature.
    /// @param s Second half of the signature.
    function payTokenWithPermit(Deal calldata deal, uint256 deadline, uint8 v, bytes32 r, bytes32 s) external;

    /// @notice The words of deals, in the given order; zero for an unknown id.
    /// @param dealIds Any ids.
    /// @return A `DealWord` for each.
    function dealWords(uint256[] calldata dealIds) external view returns (bytes32[] memory);

    /// @notice EIP-712 digest of the terms; domain: name "Carat", version "1", this chain, this diamond.
    /// @param deal Any terms.
    /// @return The digest.
    function termsHash(Deal calldata deal) external view returns (bytes32);

    /// @notice The registry that created this diamond and keeps its roles.
    /// @return Its address.
    function registry() external view returns (address);

    /// @notice Root moves out everything that strangers sent to the diamond of a token, or (zero) of the native coin.
    /// @param token The token, zero for the native coin.
    /// @param to Receives it; neither zero nor the diamond.
    function sweep(address token, address to) external;
}
