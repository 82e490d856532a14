// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {Deal, DealKey} from "./DealTypes.sol";

/// @notice Deals of one merchant wallet: created and cancelled by operators, paid by buyers, straight to the payee.
/// @dev What the chain keeps of a deal is one `DealWord`, which the ABI gives as 32 bytes.
interface IDealFacet {
    /// @notice A deal is on the chain and can be paid.
    /// @param dealId Random number of 53 bits.
    /// @param termsHash EIP-712 digest of its terms.
    event DealCreated(uint256 indexed dealId, bytes32 indexed termsHash);
    /// @notice A buyer has paid, and the payee got exactly `amount`.
    /// @param dealId The deal, paid once and for good.
    /// @param termsHash EIP-712 digest of its terms.
    /// @param payer Who called and paid.
    /// @param token The token, zero for the native coin.
    /// @param payee Who received the money.
    /// @param amount Base units of the token, wei of the native coin.
    event DealPaid(
        uint256 indexed dealId,
        bytes32 indexed termsHash,
        address indexed payer,
        address token,
        address payee,
        uint256 amount
    );
    /// @notice A deal can not be paid any more.
    /// @param dealId The deal, or an id that no deal can take now.
    /// @param word Its new word: its terms with status 3, or the bare 3 of a tombstone.
    event DealCancelled(uint256 indexed dealId, bytes32 word);
    /// @notice An id was asked for with other terms than it holds; nothing was changed.
    /// @param dealId The id.
    /// @param word What it holds.
    /// @param termsHash Digest of the terms that were asked for.
    event DealConflict(uint256 indexed dealId, bytes32 word, bytes32 termsHash);
    /// @notice Root freed what strangers had sent to the diamond.
    /// @param token The token, zero for the native coin.
    /// @param to Who received it.
    /// @param amount All that there was, in base units or wei.
    event Swept(address indexed token, address indexed to, uint256 amount);

    /// @notice Only operators create and cancel deals.
    /// @param caller Who called instead.
    error NotOperator(address caller);
    /// @notice Only the registry's root sweeps.
    /// @param caller Who called instead.
    error NotRoot(address caller);
    /// @notice The registry is paused: deals can be cancelled, but neither created nor paid.
    error Paused();
    /// @notice The deal is unknown, paid or cancelled.
    /// @param dealId The deal.
    /// @param word What its id holds.
    error DealNotOpen(uint256 dealId, bytes32 word);
    /// @notice The terms are not those that the deal was created with.
    /// @param dealId The deal.
    /// @param word What its id holds.
    /// @param termsHash Digest of the terms that were given.
    error TermsMismatch(uint256 dealId, bytes32 word, bytes32 termsHash);
    /// @notice The time to pay is over.
    /// @param dealId The deal.
    /// @param expiresAt Unix seconds, exclusive.
    /// @param timestamp Of the block, in Unix seconds.
    error DealExpired(uint256 dealId, uint256 expiresAt, uint256 timestamp);
    /// @notice The deal names its payer, who is somebody else.
    /// @param caller Who called.
    /// @param payer Who may pay.
    error NotPayer(address caller, address payer);
    /// @notice A token was given to `payNative`, or none to the others.
    /// @param token The token of the terms.
    error WrongToken(address token);
    /// @notice The receiver is zero or the diamond itself.
    /// @param payee The receiver.
    error InvalidPayee(address payee);
    /// @notice There is nothing to pay.
    /// @param amount The amount of the terms.
    error InvalidAmount(uint256 amount);
    /// @notice Another value was sent along than is due.
    /// @param value Wei that came.
    /// @param amount Wei that are due.
    error WrongValue(uint256 value, uint256 amount);
    /// @notice The token moved another amount than it was told to.
    /// @param received Base units by which the payee's balance grew.
    /// @param amount Base units that are due.
    error InexactTransfer(uint256 received, uint256 amount);
    /// @notice The receiver refused the native coin.
    /// @param payee The receiver.
    error NativeTransferFailed(address payee);

    /// @notice Puts deals on the chain. Operators only, not while paused.
    /// @dev The same terms again change nothing, a cancelled id stays cancelled silently, an id with other terms is
    ///      skipped with `DealConflict`; one item never spoils the others.
    /// @param deals Ids with the digests of their terms.
    function createDeals(DealKey[] calldata deals) external;

    /// @notice Cancels open deals and leaves tombstones at unknown ids. Operators only, also while paused.
    /// @dev Paid and cancelled deals are skipped silently.
    /// @param dealIds Any ids.
    function cancelDeals(uint256[] calldata dealIds) external;

    /// @notice Pays with a token: pulls `amount` from the caller by allowance, straight to the payee.
    /// @param deal The terms that the deal was created with.
    function payToken(Deal calldata deal) external;

    /// @notice Pays with the native coin: `msg.value` must be exactly `amount`.
    /// @param deal The terms that the deal was created with.
    function payNative(Deal calldata deal) external payable;

    /// @notice Like `payToken`, after trying the caller's EIP-2612 permit over `amount`; a failing permit is ignored.
    /// @param deal The terms that the deal was created with.
    /// @param deadline Unix seconds after which the permit is void.
    /// @param v Recovery byte of the signature.
    /// @param r First half of the signature.
    /// @param s Second half of the signature.
    function payTokenWithPermit(Deal calldata deal, uint256 deadline, uint8 v, bytes32 r, bytes32 s) external;

    /// @notice The words of deals, in the order asked; zero for an unknown id.
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

    /// @notice Root frees what strangers sent to the diamond: all of a token, or (zero) of the native coin.
    /// @param token The token, zero for the native coin.
    /// @param to Who receives it, neither zero nor the diamond.
    function sweep(address token, address to) external;
}
