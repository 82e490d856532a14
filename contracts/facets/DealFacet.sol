// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {Deal, DealKey, DealWord} from "../interfaces/DealTypes.sol";
import {IDealFacet} from "../interfaces/IDealFacet.sol";
import {IFacet} from "../interfaces/IFacet.sol";
import {IRegistry} from "../interfaces/IRegistry.sol";
import {LibDeals} from "../libraries/LibDeals.sol";
import {LibDiamond} from "../libraries/LibDiamond.sol";
import {LibLock} from "../libraries/LibLock.sol";
import {LibToken} from "../libraries/LibToken.sol";
import {Roles} from "../libraries/Roles.sol";

/// @notice Deals of one merchant wallet: created and cancelled by operators, paid by buyers, straight to the payee.
/// @dev Every payment follows one order: check, write, emit, then move the money.
/// @custom:version 1.1.0
contract DealFacet is IDealFacet, IFacet {
    using LibDeals for DealWord;

    modifier locked() {
        LibLock.acquire();
        _;
        LibLock.release();
    }

    /// @inheritdoc IDealFacet
    function createDeals(DealKey[] calldata deals) external locked {
        (bool isOperator, bool paused) = registryOf().roleState(Roles.OPERATOR, msg.sender);
        if (!isOperator) revert NotOperator(msg.sender);
        if (paused) revert Paused();

        mapping(uint256 => DealWord) storage words = LibDeals.store().words;
        for (uint256 i; i < deals.length; ++i) {
            uint256 dealId = deals[i].dealId;
            bytes32 terms = deals[i].termsHash;
            DealWord word = words[dealId];
            if (DealWord.unwrap(word) == 0) {
                words[dealId] = DealWord.wrap(terms).withStatus(LibDeals.OPEN);
                emit DealCreated(dealId, terms);
            } else if (word.statusOf() != LibDeals.CANCELLED && !word.matches(terms)) {
                emit DealConflict(dealId, DealWord.unwrap(word), terms);
            }
        }
    }

    /// @inheritdoc IDealFacet
    function cancelDeals(uint256[] calldata dealIds) external locked {
        (bool isOperator,) = registryOf().roleState(Roles.OPERATOR, msg.sender);
        if (!isOperator) revert NotOperator(msg.sender);

        mapping(uint256 => DealWord) storage words = LibDeals.store().words;
        for (uint256 i; i < dealIds.length; ++i) {
            DealWord word = words[dealIds[i]];
            uint256 status = word.statusOf();
            if (status == LibDeals.PAID || status == LibDeals.CANCELLED) continue;
            word = word.withStatus(LibDeals.CANCELLED);
            words[dealIds[i]] = word;
            emit DealCancelled(dealIds[i], DealWord.unwrap(word));
        }
    }

    /// @inheritdoc IDealFacet
    function payToken(Deal calldata deal) external locked {
        if (deal.token == address(0)) revert WrongToken(deal.token);
        markPaid(deal);
        pullToken(deal);
    }

    /// @inheritdoc IDealFacet
    function payTokenWithPermit(Deal calldata deal, uint256 deadline, uint8 v, bytes32 r, bytes32 s) external locked {
        if (deal.token == address(0)) revert WrongToken(deal.token);
        markPaid(deal);
        LibToken.tryPermit(deal.token, msg.sender, deal.amount, deadline, v, r, s);
        pullToken(deal);
    }

    /// @inheritdoc IDealFacet
    function payNative(Deal calldata deal) external payable locked {
        if (deal.token != address(0)) revert WrongToken(deal.token);
        if (msg.value != deal.amount) revert WrongValue(msg.value, deal.amount);
        markPaid(deal);
        if (!LibToken.sendNative(deal.payee, deal.amount)) revert NativeTransferFailed(deal.payee);
    }

    /// @inheritdoc IDealFacet
    function sweep(address token, address to) external locked {
        if (msg.sender != registryOf().root()) revert NotRoot(msg.sender);
        if (to == address(0) || to == address(this)) revert InvalidPayee(to);
        if (token != address(0)) {
            uint256 amount = LibToken.balanceOf(token, address(this));
            emit Swept(token, to, amount);
            LibToken.transfer(token, to, amount);
        } else {
            uint256 amount = address(this).balance;
            emit Swept(token, to, amount);
            if (!LibToken.sendNative(to, amount)) revert NativeTransferFailed(to);
        }
    }

    /// @inheritdoc IDealFacet
    function dealWords(uint256[] calldata dealIds) external view returns (bytes32[] memory words) {
        mapping(uint256 => DealWord) storage stored = LibDeals.store().words;
        words = new bytes32[](dealIds.length);
        for (uint256 i; i < dealIds.length; ++i) {
            words[i] = DealWord.unwrap(stored[dealIds[i]]);
        }
    }

    /// @inheritdoc IDealFacet
    function termsHash(Deal calldata deal) external view returns (bytes32) {
        return LibDeals.hash(deal);
    }

    /// @inheritdoc IDealFacet
    function registry() external view returns (address) {
        return LibDiamond.store().registry;
    }

    /// @inheritdoc IFacet
    function exportSelectors() external pure returns (bytes4[] memory selectors) {
        selectors = new bytes4[](9);
        selectors[0] = IDealFacet.createDeals.selector;
        selectors[1] = IDealFacet.cancelDeals.selector;
        selectors[2] = IDealFacet.payToken.selector;
        selectors[3] = IDealFacet.payNative.selector;
        selectors[4] = IDealFacet.payTokenWithPermit.selector;
        selectors[5] = IDealFacet.dealWords.selector;
        selectors[6] = IDealFacet.termsHash.selector;
        selectors[7] = IDealFacet.registry.selector;
        selectors[8] = IDealFacet.sweep.selector;
    }

    /// @inheritdoc IFacet
    function facetName() external pure returns (string memory) {
        return "DealFacet";
    }

    /// @inheritdoc IFacet
    function facetVersion() external pure returns (string memory) {
        return "1.1.0";
    }

    /// @dev Shared by the three ways to pay: checks the terms and marks the deal paid before any money moves.
    /// @param deal The terms that the caller wants to pay; they must hash to the deal's word.
    function markPaid(Deal calldata deal) private {
        if (registryOf().paused()) revert Paused();
        bytes32 terms = LibDeals.hash(deal);
        DealWord word = LibDeals.store().words[deal.dealId];
        if (word.statusOf() != LibDeals.OPEN) revert DealNotOpen(deal.dealId, DealWord.unwrap(word));
        if (!word.matches(terms)) revert TermsMismatch(deal.dealId, DealWord.unwrap(word), terms);
        if (block.timestamp >= deal.expiresAt) revert DealExpired(deal.dealId, deal.expiresAt, block.timestamp);
        if (deal.payer != address(0) && msg.sender != deal.payer) revert NotPayer(msg.sender, deal.payer);
        if (deal.payee == address(0) || deal.payee == address(this)) revert InvalidPayee(deal.payee);
        if (deal.amount == 0) revert InvalidAmount(deal.amount);

        LibDeals.store().words[deal.dealId] = word.withStatus(LibDeals.PAID);
        emit DealPaid(deal.dealId, terms, msg.sender, deal.token, deal.payee, deal.amount);
    }

    /// @dev Exact to the unit: the payment fails with a token that takes a fee or credits nothing.
    /// @param deal Terms that were already checked.
    function pullToken(Deal calldata deal) private {
        uint256 beforehand = LibToken.balanceOf(deal.token, deal.payee);
        LibToken.transferFrom(deal.token, msg.sender, deal.payee, deal.amount);
        uint256 afterwards = LibToken.balanceOf(deal.token, deal.payee);
        uint256 received = afterwards > beforehand ? afterwards - beforehand : 0;
        if (received != deal.amount) revert InexactTransfer(received, deal.amount);
    }

    function registryOf() private view returns (IRegistry) {
        return IRegistry(LibDiamond.store().registry);
    }
}
